"""The numbers of a policy tuned by self-play: a search on common deals, judged on deals that it has not seen."""
