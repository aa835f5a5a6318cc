"""The log on disk. Read `record`, `segment`, `journal`, `sync_job`, `recovery`."""
