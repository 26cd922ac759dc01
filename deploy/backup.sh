#!/bin/sh
# Back up a running dialer: the database first, then the uploads and recordings. Delete old copies of the database.
# Run it in the folder of the database. Environment: BACKUPS, the folder of the backups; DIALER, the command;
# KEEP_DAYS, the age in days at which a copy of the database is deleted; MEDIA, the media folder.
set -eu
umask 077
backups=${BACKUPS:?"set BACKUPS to the folder of the backups"}
mkdir -p "$backups/media"
"${DIALER:-dialer}" backup "$backups/dialer-$(date -u +%Y%m%dT%H%M%SZ).db"
# Files in the media folder never change, so only new ones are copied.
if [ -d "${MEDIA:-media}" ]; then
    cp -a -n "${MEDIA:-media}/." "$backups/media/"
fi
# A failed backup ends the script above, and deletes nothing.
find "$backups" -maxdepth 1 -name 'dialer-*.db' -type f -mtime +"${KEEP_DAYS:-14}" -delete
