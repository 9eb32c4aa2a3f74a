package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Images stores the records of pictures, each in its owner's partition of users. The pictures
// themselves are files in package media.
//
// No transaction spans a record and its files. So the record is created before the first file and
// deleted after the last one, and is marked as incomplete while files may be missing. Every file
// thus has a record, even after a crash. The user item counts the pictures and their bytes, in the
// same transactions. The pictures of static pages belong to domain.SiteUserID, which has no user item:
// they are not counted.
type Images struct {
	c     *client.Container // users
	users *Users
	files FileDeleter
}

// FileDeleter deletes the files of pictures. Delete returns nil if the file is gone.
type FileDeleter interface {
	Delete(ctx context.Context, name string) error
}

type imageItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	UserID       string         `json:"userId"`
	Name         string         `json:"name"`
	Alt          string         `json:"alt"`
	Bytes        int64          `json:"bytes"`
	CreationDate schema.Instant `json:"creationDate"`
	Incomplete   bool           `json:"incomplete,omitempty"`
	Source       string         `json:"source,omitempty"`
	Import       string         `json:"import,omitempty"`
	PostID       string         `json:"postId,omitempty"` // of a thumbnail
	// Deletion identifies a deletion that has begun: see images_delete.go.
	Deletion    string          `json:"deletion,omitempty"`
	DeletionEnd *schema.Instant `json:"deletionEnd,omitempty"`
	ETag        string          `json:"_etag,omitempty"`
}

func (i imageItem) domain() domain.Image {
	name, _ := domain.ParseImageName(i.Name) // verify reports invalid names
	return domain.Image{Name: name, UserID: i.UserID, Alt: i.Alt, Bytes: i.Bytes,
		Avatar: i.Type == schema.TypeAvatar, Created: time.Time(i.CreationDate), Incomplete: i.Incomplete,
		Source: i.Source, Import: i.Import, PostID: i.PostID}
}

func errNoImage() error { return domain.NewError(domain.NotFound, "There is no such picture.") }

// Begin records a picture whose files are about to be written, as incomplete. If the picture is
// recorded already, Begin returns the existing record. It returns an Invalid error for the field
// "file" if the picture would exceed the user's quota, and Unavailable while the picture is being
// deleted.
func (s *Images) Begin(ctx context.Context, image domain.Image) (domain.Image, error) {
	ctx = client.WritesOnly("begin-image", dependency.FacetAccount).In(ctx) // counts the user's pictures
	name := image.Name.String()
	item := imageItem{ID: schema.ImageID(name), Type: schema.TypeImage, UserID: image.UserID, Name: name,
		Alt: image.Alt, Bytes: image.Bytes, CreationDate: schema.Instant(image.Created), Incomplete: true,
		Source: image.Source, Import: image.Import, PostID: image.PostID}
	switch {
	case image.Avatar:
		item.Type = schema.TypeAvatar
	case image.PostID != "":
		item.Type = schema.TypeThumbnail
	}
	batch := s.c.Batch(image.UserID)
	batch.CreateItem(client.Encode(item), nil)
	if image.UserID != domain.SiteUserID {
		counting := addToUsage(1, image.Bytes)
		counting.SetCondition(fmt.Sprintf("%s and (not is_defined(c.imageBytes) or c.imageBytes <= %d)",
			schema.IfLive, domain.ImageQuota-image.Bytes))
		batch.PatchItem(image.UserID, counting, nil)
	}
	_, err := s.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 0, http.StatusConflict): // uploaded before, or by an earlier attempt of this call
		return s.resumeUpload(ctx, item)
	case client.FailedAt(err, 1, http.StatusPreconditionFailed):
		return domain.Image{}, s.quotaError(ctx, image.UserID)
	case client.FailedAt(err, 1, http.StatusNotFound):
		return domain.Image{}, schema.ErrNoUser()
	}
	return item.domain(), client.Translate(err)
}

// resumeUpload does the work of Begin for a picture that is recorded already. It cancels a deletion
// that was not completed.
func (s *Images) resumeUpload(ctx context.Context, image imageItem) (domain.Image, error) {
	return client.RewriteReturning(ctx, func() (domain.Image, error) {
		stored, err := client.Read[imageItem](ctx, s.c, image.UserID, image.ID)
		switch {
		case client.Missing(err): // deleted in the meantime
			return domain.Image{}, errBeingDeleted()
		case err != nil:
			return domain.Image{}, client.Translate(err)
		case stored.Deletion == "":
			return stored.domain(), nil
		case stored.DeletionEnd.Time().After(time.Now()):
			return domain.Image{}, errBeingDeleted()
		}
		var ops azcosmos.PatchOperations
		ops.AppendRemove("/deletion")
		ops.AppendRemove("/deletionEnd")
		err = s.c.PatchVersion(ctx, image.UserID, image.ID, stored.ETag, ops)
		return stored.domain(), client.Lost(client.Translate(err))
	})
}

// quotaError returns the reason why a user's picture could not be recorded: the quota, unless the
// account was deleted.
func (s *Images) quotaError(ctx context.Context, userID string) error {
	if _, err := s.users.ByID(ctx, userID); err != nil {
		return err // the account has just been deleted
	}
	return domain.FieldError("file", "Your pictures have reached the limit of {size} MB. Delete some first.", "size",
		domain.ImageQuota>>20)
}

// addToUsage returns the patch of a user that adds to the number of pictures and their bytes.
func addToUsage(images int64, bytes int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/imageCount", images)
	ops.AppendIncrement("/imageBytes", bytes)
	return ops
}

// Complete marks a recorded picture as complete, after all its files were written. It returns NotFound
// if the record is gone because the picture or the account was deleted, and Unavailable if a deletion
// has begun.
func (s *Images) Complete(ctx context.Context, userID string, name domain.ImageName) error {
	var ops azcosmos.PatchOperations
	ctx = client.WritesOnly("complete-image", 0).In(ctx)
	ops.SetCondition("from c where is_defined(c.incomplete) and not is_defined(c.deletion)")
	ops.AppendRemove("/incomplete")
	err := s.c.Patch(ctx, userID, schema.ImageID(name.String()), ops)
	if !client.ConditionFailed(err) {
		return client.Translate(err)
	}
	image, err := s.Get(ctx, userID, name)
	if err == nil && image.Incomplete {
		err = errBeingDeleted()
	}
	return err
}

// Owner finds the owner of a picture or avatar. It queries all partitions, because the name does not
// contain the owner. Callers may cache the result, because the owner of a picture never changes.
func (s *Images) Owner(ctx context.Context, name domain.ImageName) (userID string, err error) {
	err = client.Scan(client.Reads("image-owner").In(ctx), s.c, `SELECT VALUE c.userId FROM c WHERE c.id = @id`,
		client.Parameters{"id": schema.ImageID(name.String())}, func(owner string) error {
			userID = owner
			return nil
		})
	if err == nil && userID == "" {
		return "", errNoImage()
	}
	return userID, client.Translate(err)
}

// Get reads the record of one picture or avatar.
func (s *Images) Get(ctx context.Context, userID string, name domain.ImageName) (domain.Image, error) {
	item, err := client.Read[imageItem](client.Reads("image").In(ctx), s.c, userID, schema.ImageID(name.String()))
	if client.StatusOf(err) == http.StatusNotFound {
		return domain.Image{}, errNoImage()
	}
	return item.domain(), client.Translate(err)
}

// Of returns one page of a user's pictures, the newest first. It is a query in the user's partition.
func (s *Images) Of(ctx context.Context, userID string, page int) (domain.ListPage[domain.Image], error) {
	rows, err := client.Query[imageItem](listingImages.In(ctx), s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'image'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.ImagesPerPage, client.Parameters{"user": userID}))
	return domain.Cut(images(rows), page, domain.ImagesPerPage), client.Translate(err)
}

// All lists a user's pictures in no particular order. It omits pictures that are being deleted. It is
// a query in the user's partition.
func (s *Images) All(ctx context.Context, userID string) ([]domain.Image, error) {
	rows, err := client.Query[imageItem](client.Reads("all-images").In(ctx), s.c, userID,
		`SELECT c.name, c.type, c.userId, c.incomplete, c.deletion, c.source FROM c
		 WHERE c.userId = @user AND c.type = 'image'`,
		client.Parameters{"user": userID})
	rows = slices.DeleteFunc(rows, func(i imageItem) bool { return i.Deletion != "" })
	return images(rows), client.Translate(err)
}

// SetSource records the digest of the file from which a picture was imported.
func (s *Images) SetSource(ctx context.Context, userID string, name domain.ImageName, source string) error {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/source", source)
	ctx = client.Writes("image-source").In(ctx)
	return client.Translate(s.c.Patch(ctx, userID, schema.ImageID(name.String()), ops))
}

func images(items []imageItem) []domain.Image {
	return client.Convert(items, imageItem.domain)
}

// Describe changes a picture's alternative text.
func (s *Images) Describe(ctx context.Context, userID string, name domain.ImageName, alt string) error {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/alt", alt)
	err := s.c.Patch(client.WritesOnly("describe-image", 0).In(ctx), userID, schema.ImageID(name.String()), ops)
	if client.StatusOf(err) == http.StatusNotFound {
		return errNoImage()
	}
	return client.Translate(err)
}

// Imported lists the pictures that an import job created. It is a query in the user's partition.
func (s *Images) Imported(ctx context.Context, userID, job string) ([]domain.Image, error) {
	items, err := client.Query[imageItem](listingImages.In(ctx), s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'image' AND c.import = @job`,
		client.Parameters{"user": userID, "job": job})
	return images(items), client.Translate(err)
}
