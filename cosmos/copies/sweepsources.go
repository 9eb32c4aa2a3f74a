package copies

import (
	"slices"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// postCopy is what tells an orphan from other copies. Its type is that of a live one:
// tombstones have another, but in feed.
type sweptCopy struct {
	ID        string `json:"id"`
	UserID    any    `json:"userId"` // in users the partition; elsewhere it may be anything
	Tag       string `json:"tag"`    // in tags the partition
	Tombstone bool   `json:"tombstone"`
}

// postSource is what a copy is judged by. Of a post that is not of its shape it
// may hold anything.
type postSource struct {
	ID     string `json:"id"`
	UserID any    `json:"userId"`
	Status any    `json:"status"`
	Held   any    `json:"held"`
	// Also of one whose author is suspended.
	Suspended any `json:"authorSuspended"`
	Tags      any `json:"tags"`
	Erased    any `json:"erased"`
}

// listed is true also of what cannot be judged.
func (s *postSource) listed() bool {
	status, ok := s.Status.(string)
	if hold, ok := s.Held.(string); ok && hold != "" && domain.Hold(hold).Valid() || s.Suspended == true {
		return false
	}
	return !ok || !domain.Status(status).Valid() || domain.Status(status).Listed()
}

// tagged is true also of what cannot be judged.
func (s *postSource) tagged(key string) bool {
	tags, ok := s.Tags.([]any)
	return s.Tags != nil && !ok || slices.ContainsFunc(tags, func(tag any) bool {
		name, ok := tag.(string)
		return !ok || domain.TagKey(name) == key
	})
}

// storedCopy is a copy as it is stored, with what it takes to delete just this
// version of it.
type storedCopy struct {
	sweptCopy
	Type         string `json:"type"`
	DeletionDate any    `json:"deletionDate"`
	ETag         string `json:"_etag"`
}

// liveCopy tells whether a copy of that type is no tombstone, in users and tags.
func liveCopy(itemType string) bool {
	return itemType == schema.TypePost || schema.CopyType(schema.StatusOfCopy(itemType)) == itemType
}
