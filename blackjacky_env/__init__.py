"""Black Jacky as PettingZoo and Gymnasium environments."""
