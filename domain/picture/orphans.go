package picture

import (
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
