package reading

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/maypok86/otter/v2"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// mediaFiles serves the pictures that users have uploaded.
type mediaFiles struct {
	handler
	owners *otter.Cache[domain.ImageName, string]
}

// ownerTime is the time limit for finding the owner of a picture.
const ownerTime = 20 * time.Second

// rememberedOwners is of how many pictures a server remembers whose they are: some 10 MB.
const rememberedOwners = 50_000

func newMediaFiles(h handler) mediaFiles {
	return mediaFiles{h, otter.Must(&otter.Options[domain.ImageName, string]{MaximumSize: rememberedOwners})}
}

func (h mediaFiles) register(e *echo.Echo) {
	site.Get(e, site.MediaRoute, h.show)
}

// foreverToReaders is for what a name shows, which is never anything else. What stands between
// asks again after an hour, whether strangers may see it still.
const foreverToReaders = "public, max-age=31536000, s-maxage=3600, immutable"

// aPicture is the policy of pictures, which lets browsers run and load nothing. anSVG also allows the style
// sheets within an SVG.
const (
	aPicture = "default-src 'none'; sandbox; frame-ancestors 'none'"
	anSVG    = aPicture + "; style-src 'unsafe-inline'"
)

func (h mediaFiles) show(c echo.Context) error {
	file := c.Param("file")
	name, ok := domain.ParseImageFile(file)
	if !ok {
		return site.ErrNoPicture
	}
	f, err := h.store.Files.Open(c.Request().Context(), file)
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoPicture
	}
	if err != nil {
		return err
	}
	defer f.Close()
	header := c.Response().Header()
	caching := foreverToReaders
	if h.isWithheld(c.Request().Context(), name) {
		if viewer, err := h.Viewer(c); err != nil || !viewer.Role.MayModerate() {
			return site.ErrNoPicture
		}
		caching = "no-store"
	}
	header.Set("Content-Type", name.ContentType())
	header.Set("Content-Disposition", "inline")
	header.Set("Cache-Control", caching)
	header.Set("ETag", `"`+file+`"`)
	header.Set("Content-Security-Policy", aPicture)
	if name.Ext == domain.ExtSVG {
		header.Set("Content-Security-Policy", anSVG)
	}
	// Readers of feeds show posts on pages of their own.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, f)
	return nil
}

// isWithheld tells whether a picture's owner is suspended, or is not there any more. Where that
// cannot be told the picture is shown, so that pages which are kept do not lose theirs when
// the storage fails.
func (h mediaFiles) isWithheld(ctx context.Context, name domain.ImageName) bool {
	owner, err := h.owners.Get(ctx, name, otter.LoaderFunc[domain.ImageName, string](h.askOwner))
	if err != nil {
		return false
	}
	_, err = h.Users.ByID(ctx, owner)
	return domain.Is(err, domain.NotFound)
}

// askOwner asks once for all who wait, whoever of them goes away. Pictures of before their
// owners were kept beside them have a record only, which all partitions are asked for.
func (h mediaFiles) askOwner(ctx context.Context, name domain.ImageName) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ownerTime)
	defer cancel()
	if owner, err := h.readOwner(ctx, name); err == nil && domain.IsUserID(owner) {
		return owner, nil
	}
	return h.store.Images.Owner(ctx, name)
}

// readOwner reads whose picture that is from the file beside it.
func (h mediaFiles) readOwner(ctx context.Context, name domain.ImageName) (string, error) {
	f, err := h.store.Files.Open(ctx, name.OwnerFile())
	if err != nil {
		return "", err
	}
	defer f.Close()
	owner, err := io.ReadAll(io.LimitReader(f, maxOwner))
	return string(owner), err
}

// maxOwner is more bytes than the id of a user has.
const maxOwner = 64
