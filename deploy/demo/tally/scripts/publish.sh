#!/bin/sh
# Uploads the list of words that the website shows.
set -eu
export AWS_ACCESS_KEY_ID=AKIA4Z7QXJ2WMK6PLTRV
exec curl --fail --upload-file words.txt "https://uploads.example.com/$AWS_ACCESS_KEY_ID"
