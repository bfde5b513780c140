"""Files that the studio loads, keeps and saves; loading has a process of its own."""
