package copies

import (
	"slices"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// sweptCopy holds the properties that identify an orphaned copy. Its type is that of a live copy. Tombstones have
// another type, except in feed.
type sweptCopy struct {
	ID        string `json:"id"`
	UserID    any    `json:"userId"` // the partition in users; of any type elsewhere
	Tag       string `json:"tag"`    // the partition in tags
	Tombstone bool   `json:"tombstone"`
}

// postSource holds the properties of a post that decide whether its copies are orphans. Its fields accept values
// of any type, since the post may be malformed.
type postSource struct {
	ID     string `json:"id"`
	UserID any    `json:"userId"`
	Status any    `json:"status"`
	Held   any    `json:"held"`
	// Suspended is true if the author is suspended.
	Suspended any `json:"authorSuspended"`
	Trashed   any `json:"trashedDate"`
	Tags      any `json:"tags"`
	Erased    any `json:"erased"`
}

// listed reports whether the post is listed. It is also true if the status is not a text, but not for unknown ones.
func (s *postSource) listed() bool {
	status, ok := s.Status.(string)
	if hold, ok := s.Held.(string); ok && hold != "" && domain.Hold(hold).Valid() || s.Suspended == true ||
		s.Trashed != nil {
		return false
	}
	return !ok || domain.Status(status).Listed()
}

// tagged reports whether the post has a tag. It is also true for malformed values.
func (s *postSource) tagged(key string) bool {
	tags, ok := s.Tags.([]any)
	return s.Tags != nil && !ok || slices.ContainsFunc(tags, func(tag any) bool {
		name, ok := tag.(string)
		return !ok || domain.TagKey(name) == key
	})
}

// storedCopy is a copy with its type, deletion date and ETag. The ETag allows deleting only this version of the
// copy.
type storedCopy struct {
	sweptCopy
	Type         string `json:"type"`
	DeletionDate any    `json:"deletionDate"`
	ETag         string `json:"_etag"`
}

// liveCopy reports whether the type is that of a live copy in users and tags.
func liveCopy(itemType string) bool {
	return itemType == schema.TypePost || schema.CopyType(schema.StatusOfCopy(itemType)) == itemType
}
