package uploads

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/picture"
)

// Store is the storage of pictures. Errors are of the kinds of package domain.
type Store struct {
	Images Images
	Files  picture.Files
}

// Images stores the records of pictures.
type Images interface {
	picture.Records
	// Of returns a page of a user's pictures, newest first.
	Of(ctx context.Context, userID string, page int) (domain.ListPage[domain.Image], error)
	// Describe sets the alternative text of a picture.
	Describe(ctx context.Context, userID string, name domain.ImageName, alt string) error
	// Delete deletes a picture's files and its record. Repeating it changes nothing.
	Delete(ctx context.Context, userID string, name domain.ImageName) error
}
