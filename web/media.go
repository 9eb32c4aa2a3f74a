package web

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

type fileOpener interface {
	// Open opens a file that the caller closes. It is NotFound when there is none.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}

// mediaFiles serves the pictures that users have uploaded.
type mediaFiles struct {
	*site
	files fileOpener
}

const mediaRoute = domain.MediaPrefix + ":file"

func (h mediaFiles) register(e *echo.Echo) {
	get(e, mediaRoute, h.show)
}

var errNoPicture = domain.Errorf(domain.NotFound, "There is no such picture. It may have been deleted.")

// aPicture confines what a browser might take for anything else.
const aPicture = "default-src 'none'; sandbox; frame-ancestors 'none'"

func (h mediaFiles) show(c echo.Context) error {
	file := c.Param("file")
	name, ok := domain.ParseImageFile(file)
	if !ok {
		return errNoPicture
	}
	f, err := h.files.Open(c.Request().Context(), file)
	if domain.Is(err, domain.NotFound) {
		return errNoPicture
	}
	if err != nil {
		return err
	}
	defer f.Close()
	header := c.Response().Header()
	header.Set("Content-Type", name.ContentType())
	header.Set("Content-Disposition", "inline")
	header.Set("Cache-Control", "public, max-age=31536000, immutable") // a name never shows anything else
	header.Set("ETag", `"`+file+`"`)
	header.Set("Content-Security-Policy", aPicture)
	// Readers of feeds show posts on pages of their own.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, f)
	return nil
}
