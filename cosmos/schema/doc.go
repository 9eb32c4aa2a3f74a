// Package schema describes the stored data as far as every reader of it has to know: the containers with
// their partition keys and indexes, the types of items, how ids are derived, and how values are written.
// docs/data-model.md explains the model. The shapes of items are in the packages that write them; package
// verify has its own.
package schema
