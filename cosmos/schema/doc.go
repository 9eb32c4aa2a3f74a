// Package schema defines the parts of the stored data that all stores share: the containers with
// their partition keys and indexes, the types of items, the ids, and the forms of values.
// docs/data-model.md explains the model. The structs of items are in the packages that write them.
// Package verify has structs of its own.
package schema
