package cosmos

import (
	"context"
	"testing"
	"time"

	"inkfeed/domain"
)

// slowFiles is a storage of files that takes some time for a deletion.
type slowFiles time.Duration

func (f slowFiles) Delete(ctx context.Context, _ string) error {
	select {
	case <-time.After(time.Duration(f)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A process that stops cancels the contexts of its workers and waits for them.
func TestACancelledDeletionOfPictures(t *testing.T) {
	for name, tt := range map[string]struct {
		files   slowFiles
		deleted bool
		lasts   time.Duration
	}{
		"completes if the storage of files answers soon":    {slowFiles(time.Second / 10), true, time.Second},
		"ends soon if the storage of files does not answer": {slowFiles(time.Hour), false, deletionGrace},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(t *testing.T, store *Store) {
				store.Images.files = tt.files
				user := mustUser(t, store, "ada")
				picture := domain.NewImageName(user.ID, []byte("old"), 100, 100, domain.ExtPNG)
				_, err := store.Images.Begin(t.Context(), domain.Image{Name: picture, UserID: user.ID, Avatar: true,
					Bytes: 1, Created: time.Now()})
				if err == nil {
					err = store.Images.Complete(t.Context(), user.ID, picture)
				}
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Millisecond, cancel)
				began := time.Now()
				_, err = store.Images.DeleteOldAvatars(ctx, user.ID, "")
				if lasted := time.Since(began); (err == nil) != tt.deleted || lasted > tt.lasts+time.Second {
					t.Errorf("error %v after %v", err, lasted)
				}
			})
		})
	}
}
