-- What a sender has proven nothing with in an hour is counted in tallies now, as are the answers of a day to an address.
DROP INDEX inbox_by_sender;
