package reading

import (
	"context"
	"io"
	"net/http"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"
	"golang.org/x/sync/singleflight"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// mediaFiles serves the pictures that users have uploaded.
type mediaFiles struct {
	handler
	owners  simplelru.LRUCache[domain.ImageName, string]
	finding *singleflight.Group
}

// ownerTimeout is the time limit for finding the owner of a picture.
const ownerTimeout = 20 * time.Second

// maxCachedOwners is how many owners of pictures a server caches, in about 10 MB.
const maxCachedOwners = 50_000

func newMediaFiles(h handler) mediaFiles {
	owners, err := lru.New[domain.ImageName, string](maxCachedOwners)
	if err != nil {
		panic(err) // the size is positive
	}
	return mediaFiles{h, owners, new(singleflight.Group)}
}

func (h mediaFiles) register(e *echo.Echo) {
	site.Get(e, site.MediaRoute, h.show)
}

// publicCaching lets browsers cache a picture for ever, since the file of a name never changes.
// Proxies ask again after an hour whether anonymous visitors may still see it.
const publicCaching = "public, max-age=31536000, s-maxage=3600, immutable"

// picturePolicy is the content security policy of pictures: browsers run and load nothing. anSVG
// also allows the style sheets within an SVG.
const (
	picturePolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"
	svgPolicy     = picturePolicy + "; style-src 'unsafe-inline'"
)

func (h mediaFiles) show(c echo.Context) error {
	file := c.Param("file")
	name, ok := domain.ParseImageFile(file)
	if !ok {
		return site.ErrNoPicture
	}
	f, err := h.store.Files.Open(c.Request().Context(), file)
	if domain.Is(err, domain.NotFound) && !h.owners.Contains(name) {
		// The address may name a picture that does not exist, so looking for wider files counts like a page, except for
		// a picture that was shown already.
		if err := h.CountRead(c); err != nil {
			return err
		}
	}
	for wider, ok := name.NextWider(file); ok && domain.Is(err, domain.NotFound); wider, ok = name.NextWider(wider) {
		f, err = h.store.Files.Open(c.Request().Context(), wider)
	}
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoPicture
	}
	if err != nil {
		return err
	}
	defer f.Close()
	header := c.Response().Header()
	caching := publicCaching
	if owner, withheld := h.isWithheld(c.Request().Context(), name); withheld {
		if viewer, err := h.Viewer(c); err != nil || !viewer.Role.MayModerate() {
			return site.ErrNoPicture
		}
		if _, err := h.Users.Account(c.Request().Context(), owner); err != nil { // it is being deleted
			return site.ErrNoPicture
		}
		caching = "no-store"
	}
	header.Set("Content-Type", name.ContentType())
	header.Set("Content-Disposition", "inline")
	header.Set("Cache-Control", caching)
	header.Set("ETag", `"`+file+`"`)
	header.Set("Content-Security-Policy", picturePolicy)
	if name.Ext == domain.ExtSVG {
		header.Set("Content-Security-Policy", svgPolicy)
	}
	// Feed readers show posts on their own pages.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, f)
	return nil
}

// isWithheld returns a picture's owner and whether the owner is suspended or deleted. If that cannot be read, the
// picture is shown, so that cached pages do not lose their pictures when the storage fails.
func (h mediaFiles) isWithheld(ctx context.Context, name domain.ImageName) (owner string, withheld bool) {
	owner, err := h.owner(ctx, name)
	if err != nil || owner == domain.SiteUserID {
		return owner, false
	}
	_, err = h.Users.ByID(ctx, owner)
	return owner, domain.Is(err, domain.NotFound)
}

// owner finds the owner of a picture, once for all concurrent requests.
func (h mediaFiles) owner(ctx context.Context, name domain.ImageName) (string, error) {
	if owner, ok := h.owners.Get(name); ok {
		return owner, nil
	}
	found, err, _ := h.finding.Do(name.String(), func() (any, error) {
		owner, err := h.findOwner(ctx, name)
		if err == nil {
			h.owners.Add(name, owner)
		}
		return owner, err
	})
	return found.(string), err
}

// findOwner finds the owner of a picture. It continues if ctx is cancelled, because other requests may wait for it.
// Older pictures have no file with their owner, only a record, which takes a query on all partitions.
func (h mediaFiles) findOwner(ctx context.Context, name domain.ImageName) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ownerTimeout)
	defer cancel()
	if owner, err := h.readOwner(ctx, name); err == nil && domain.IsOwnerID(owner) {
		return owner, nil
	}
	return h.store.Images.Owner(ctx, name)
}

// readOwner reads the owner of a picture from the file beside it.
func (h mediaFiles) readOwner(ctx context.Context, name domain.ImageName) (string, error) {
	f, err := h.store.Files.Open(ctx, name.OwnerFile())
	if err != nil {
		return "", err
	}
	defer f.Close()
	owner, err := io.ReadAll(io.LimitReader(f, maxOwnerID))
	return string(owner), err
}

// maxOwnerID is the maximum length of a user id, in bytes.
const maxOwnerID = 64
