"""What browsers and the server send each other: models of requests and replies, and their bytes."""
