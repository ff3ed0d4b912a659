#!/usr/bin/env perl
# A Black Jacky agent in Perl: knocks close below the bust sum, draws far below it, swaps when it is bust.
#
#     blackjacky score "cmd:perl examples/agent.pl"
#
# It reads one JSON object a line and answers `hello` and `act`; docs/score.md describes the messages.
use strict;
use warnings;
use JSON::PP;

$| = 1;    # write every answer at once
my $json = JSON::PP->new;
while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    if ($message->{type} eq 'hello') {
        print $json->encode({ protocol => 1 }), "\n";
    } elsif ($message->{type} eq 'act') {
        print $json->encode({ action => choose($message) }), "\n";
    }
}

sub choose {
    my ($message) = @_;
    my %number = map { $_->{name} => $_->{action} } @{ $message->{legal} };
    my ($view, $sum) = ($message->{view}, 0);
    $sum += ($_ + 1) * $view->{my_hand}[$_] for 0 .. 7;
    my $room = $view->{bust_at} - $sum;
    my @wanted =
        $room > 3 ? 'draw'
      : $room > 0 ? 'knock'
      :             map { "swap $_ with the draw pile" } reverse 1 .. 8;
    for my $name ('no trick', @wanted) {
        return $number{$name} if exists $number{$name};
    }
    return $message->{legal}[0]{action};
}
