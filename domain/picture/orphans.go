package picture

import (
	"cmp"
	"context"
	"errors"
	"time"

	"inkfeed/domain"
)

// orphansTimeout is the time limit for deleting the files of a picture.
const orphansTimeout = time.Minute

// DeleteOrphans deletes the files of a picture whose record was deleted while they were being written, and reports
// whether that is so. If the record exists, the files stay. It continues if ctx is cancelled.
func DeleteOrphans(
	ctx context.Context,
	records interface {
		Get(ctx context.Context, userID string, name domain.ImageName) (domain.Image, error)
	},
	files interface {
		Delete(ctx context.Context, name string) error
	},
	userID string, name domain.ImageName,
) (orphaned bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), orphansTimeout)
	defer cancel()
	if _, err := records.Get(ctx, userID, name); !domain.Is(err, domain.NotFound) {
		return false, err
	}
	var failures error
	for _, file := range name.Files() {
		failures = errors.Join(failures, files.Delete(ctx, file))
	}
	return true, failures
}

// saveTimeout bounds how long a picture is being written, independently of its context.
const saveTimeout = time.Minute

// Records stores the records of pictures.
type Records interface {
	// Begin records a picture as incomplete, or returns the existing record. It fails with Invalid about "file" if the
	// user has used up the space for pictures.
	Begin(ctx context.Context, image domain.Image) (domain.Image, error)
	// Complete records that all files of a picture are stored. It fails with NotFound if the record was deleted.
	Complete(ctx context.Context, userID string, name domain.ImageName) error
	// Get returns the record of a user's picture.
	Get(ctx context.Context, userID string, name domain.ImageName) (domain.Image, error)
}

// Files stores the files of pictures.
type Files interface {
	// Put returns when the file is durable.
	Put(ctx context.Context, name string, content []byte) error
	// Delete deletes a file.
	Delete(ctx context.Context, name string) error
}

// Save records a picture and writes its files, unless the picture exists. It finishes or reverts also when the context
// ends, so that no file is left without a record.
func (p Picture) Save(ctx context.Context, records Records, files Files, image domain.Image) (domain.Image, error) {
	image.Name, image.Bytes, image.Created = p.Name, p.Bytes(), domain.Timestamp(time.Now())
	image, err := records.Begin(ctx, image)
	if err != nil || !image.Incomplete {
		return image, err
	}
	if err := p.write(ctx, records, files, image.UserID); err != nil {
		orphaned, failure := DeleteOrphans(ctx, records, files, image.UserID, p.Name)
		if orphaned && failure == nil {
			failure = domain.NewError(domain.Conflict, "The picture was deleted while it was being uploaded.")
		}
		return domain.Image{}, cmp.Or(failure, err)
	}
	image.Incomplete = false
	return image, nil
}

func (p Picture) write(ctx context.Context, records Records, files Files, userID string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if err := files.Put(ctx, p.Name.OwnerFile(), []byte(userID)); err != nil {
		return err
	}
	for _, f := range p.Files {
		if err := files.Put(ctx, f.Name, f.Content); err != nil {
			return err
		}
	}
	return records.Complete(ctx, userID, p.Name)
}
