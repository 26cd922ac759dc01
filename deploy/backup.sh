#!/bin/sh
# Back up a running dialer: the database first, then the uploads and recordings. Delete old copies of the database.
# Run it in the folder of the database. Environment: BACKUPS, the folder of the backups; DIALER, the command;
# KEEP_DAYS, the age in days at which a copy of the database is deleted; MEDIA, the media folder; RECORDINGS, the folder
# of DIALER_RECORDINGS if it is set.
set -eu
umask 077
backups=${BACKUPS:?"set BACKUPS to the folder of the backups"}
mkdir -p "$backups/media"
"${DIALER:-dialer}" backup "$backups/dialer-$(date -u +%Y%m%dT%H%M%SZ).db"
# Only new files are copied, and recordings of calls that went on since the last backup.
if [ -d "${MEDIA:-media}" ]; then
    cp -a -u "${MEDIA:-media}/." "$backups/media/"
fi
if [ -d "${RECORDINGS:-}" ]; then
    mkdir -p "$backups/recordings"
    cp -a -u "$RECORDINGS/." "$backups/recordings/"
fi
# A failed backup ends the script above, and deletes nothing.
find "$backups" -maxdepth 1 -name 'dialer-*.db' -type f -mtime +"${KEEP_DAYS:-14}" -delete
