"""The search engine: alpha-beta (PVS) with a transposition table and threat search (VCF, VCT)."""
