// Package embedded is a durable, single-process engine that speaks the REST protocol of
// Azure Cosmos DB for NoSQL, on SQLite.
//
// An [Engine] owns one data directory. It is an [http.Handler], for clients of other
// processes, and the Transporter of an azcore pipeline, so that the official SDK runs
// against it in process without a socket. Whatever the service refuses, it refuses too,
// with the service's errors: an application that works here is to work in Azure.
//
// # How it is built
//
// A request passes router.go (which finds the resource and checks the signature) to the
// file named after the resource. Reads run on a pool of read-only SQLite connections.
// Writes become functions that a single goroutine, the writer, runs: it gathers those that
// wait into one SQLite transaction, each in its own savepoint where it can half succeed,
// and answers them all after the commit has reached the disk. What takes CPU (parsing,
// sort keys, hashing) is done before, by the goroutine of the request.
//
// # What is durable
//
// A write is acknowledged once the log that holds it is synced, so it survives the death
// of the process and of the machine. What is left of a log is what SQLite recovers: whole
// transactions, up to the last that was synced or later. LSNs are in those, so none is
// given twice.
//
// Opening looks whether the file is ours, of this version and of its whole length (torn.go),
// and does not read it all. A damaged page is found when it is read: then nothing more is
// written (damage.go). Pages have no checksums, so a disk that answers with older content
// goes unnoticed.
//
// Readers see the state when they began and hold nobody up. The log is written back when
// it has 32 MB, and is bounded however reads overlap (checkpoint.go); only while a backup
// is made (backup.go) it grows with what is written.
//
// # How items are stored
//
// Each container is one SQLite table, described in table.go. The body is canonical JSON
// text without the system properties, which are columns. The partition key is a column of
// bytes, unique together with the id. For every path that the container's indexing policy
// names, alone or in a composite index, a column holds the value's sort key: bytes that
// compare as Cosmos orders values, across types too, and that are equal just if the values
// are (see internal/value). They are computed in Go as an item is written, while it is
// parsed anyway. So a composite index is a plain SQLite index over plain columns, which
// every filter and ORDER BY uses without that expressions have to match to the letter, and
// no JSON is parsed to find items. json_extract would not do: it cannot tell true from 1, or
// null from missing, and costs a parse a row.
//
// # How queries run
//
// internal/query parses a query and divides its WHERE clause: what SQLite can decide
// exactly from the columns becomes SQL, the rest is evaluated in Go on the items that
// SQLite finds. So are joins, subqueries, groups and projections, within a bounded number
// of steps: a page that takes too many ends early, and a query that cannot be continued is
// refused. An ORDER BY goes on after an item by searches of the index, one for each sort
// key. What the service's gateway does not merge from several partitions is refused with
// the plan (queryplan.go) by which SDKs merge it themselves, unless Options.Permissive.
//
// # Feed ranges and LSNs
//
// A container is divided into feed ranges by the hash of the partition key. Each range
// counts its committed write transactions (its LSN) in the same SQLite transaction as the
// data. An item's row carries the range and the LSN of its last write, and an index over
// these is the change feed.
//
// A range is split, by an operator or by more throughput, while it is written and read. No
// row is rewritten: the two new ranges go on from the LSN of the old one, and each reads of
// the old one's rows those whose hash it has, see split.go. So a continuation of the
// change feed, a session token and the place that a query has come to mean after a split
// what they meant before. Ranges are never merged.
//
// # Throughput
//
// What a request costs is estimated, see charge.go. With Options.EnforceThroughput, what
// the requests of a second may cost together is bounded by the throughput of the container
// or, shared, of its database, see throttle.go. Throughput beyond what one feed range
// serves makes or splits ranges in any case, see offers.go.
package embedded
