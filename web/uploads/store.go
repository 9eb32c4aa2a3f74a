package uploads

import (
	"context"

	"inkfeed/domain"
)

// Store is the storage of pictures. Errors are of the kinds of package domain.
type Store struct {
	Images Images
	Files  Files
}

// Images stores the records of pictures.
type Images interface {
	// Begin records a picture as incomplete, or returns the existing record. It fails with Invalid about "file" if the
	// user has used up the space for pictures.
	Begin(ctx context.Context, image domain.Image) (domain.Image, error)
	// Complete records that all files of a picture are stored. It fails with NotFound if the record was deleted.
	Complete(ctx context.Context, userID string, name domain.ImageName) error
	// Get returns the record of a user's picture.
	Get(ctx context.Context, userID string, name domain.ImageName) (domain.Image, error)
	// Of returns a page of a user's pictures, newest first.
	Of(ctx context.Context, userID string, page int) (domain.ListPage[domain.Image], error)
	// Describe sets the alternative text of a picture.
	Describe(ctx context.Context, userID string, name domain.ImageName, alt string) error
	// Delete deletes a picture's files and its record. Repeating it changes nothing.
	Delete(ctx context.Context, userID string, name domain.ImageName) error
}

// Files stores the files of pictures.
type Files interface {
	// Put returns when the file is durable.
	Put(ctx context.Context, name string, content []byte) error
	// Delete deletes a file.
	Delete(ctx context.Context, name string) error
}
