package pages

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/views"
	view "inkfeed/views/pages"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/uploads"
)

// adminPagesImport imports static pages from their export. One import runs at a time; when it is interrupted, the next
// one completes it.
type adminPagesImport struct {
	handler
	uploads *uploads.Uploads
	slot    chan struct{}
}

func (h adminPagesImport) register(e *echo.Echo) {
	site.Get(e, site.PagesImportPath, h.show)
	e.POST(site.PagesImportPath, h.submit)
}

var (
	errImportTooLarge = domain.FieldError("file", "The file is larger than {size} MB. Leave out the largest pictures.",
		"size", domain.MaxImportUpload>>20)
	errImportMissing = domain.FieldError("file", "Choose a file.")
	errManyImports   = domain.NewError(domain.Unavailable,
		"Another import of pages is running. Please try again in a few minutes.")
)

func (h adminPagesImport) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.PagesImportPage{})
}

func (h adminPagesImport) form(c echo.Context, status int, p view.PagesImportPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Import pages"))
	return h.RenderForm(c, status, view.PagesImport(p))
}

// submit receives the file and imports it before it answers: a site has few pages.
func (h adminPagesImport) submit(c echo.Context) error {
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	sent, err := h.receive(c, actor)
	if sent.file != nil {
		defer sent.close()
	}
	var imported view.PagesImportedPage
	if err == nil {
		imported, err = h.importFile(c, actor, sent)
	}
	if err == nil {
		imported.LayoutData = h.FallbackLayout(c, site.T(c, "Import finished"))
		return h.RenderForm(c, http.StatusOK, view.PagesImported(imported))
	}
	errs, status, ok := h.FormErrors(c, err)
	if !ok {
		return err
	}
	switch {
	case err == errManyImports:
		errs.Summary = domain.Reason(err)
	case domain.Is(err, domain.Unavailable):
		errs = views.FormErrors{Summary: locale.M("The import stopped before it finished. Choose the file again in a " +
			"moment: pages that were imported are not imported twice.")}
	}
	return h.form(c, status, view.PagesImportPage{FormErrors: errs, Looks: sent.looks})
}

// sentPages is a submitted form.
type sentPages struct {
	name  string
	file  *os.File // a temporary file
	size  int64
	looks bool
	free  func() // frees the slot
}

func (s sentPages) close() {
	s.file.Close()
	os.Remove(s.file.Name())
	s.free()
}

// receive stores the uploaded file in a temporary one, which the caller closes.
func (h adminPagesImport) receive(c echo.Context, actor domain.User) (sent sentPages, err error) {
	parts, err := site.MultipartForm(c)
	if err != nil {
		return sent, err
	}
	if err := h.Limiter.Allow(c.Request().Context(), ratelimit.Import, actor.ID); err != nil {
		return sent, err
	}
	select {
	case h.slot <- struct{}{}:
		sent.free = func() { <-h.slot }
	default:
		return sent, errManyImports
	}
	if sent.file, err = os.CreateTemp("", "inkfeed-pages-*"); err != nil {
		sent.free()
		return sent, err
	}
	for {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF && sent.size == 0:
			return sent, errImportMissing
		case err == io.EOF:
			return sent, nil
		case err != nil:
			return sent, uploadError(err)
		case part.FormName() == "looks":
			sent.looks = true
		case part.FormName() == "file" && sent.size == 0:
			sent.name = part.FileName()
			if sent.size, err = io.Copy(sent.file, io.LimitReader(part, domain.MaxImportUpload+1)); err != nil {
				return sent, uploadError(err)
			}
			if sent.size > domain.MaxImportUpload {
				return sent, errImportTooLarge
			}
		}
	}
}

// uploadError translates an error of reading the form, and returns an error of writing the file unchanged.
func uploadError(err error) error {
	if _, writing := errors.AsType[*fs.PathError](err); writing {
		return err
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errImportTooLarge
	}
	return echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
}

// readPages reads the export in a file. The errors that lie in the export are about the field "file".
func (h adminPagesImport) readPages(ctx context.Context, sent sentPages, now time.Time) (*portable.Blog, error) {
	blog, err := h.store.ReadUpload(ctx, sent.name, sent.file, portable.Options{}, now)
	_, isFault := errors.AsType[*portable.Fault](err)
	switch {
	case err != nil && !isFault:
		return nil, err
	case err != nil:
		return nil, domain.FieldError("file", "This file cannot be imported: {reason}.", "reason",
			portable.Explain(err))
	case blog.Site == nil:
		return nil, domain.FieldError("file", "This is an export of {format} with posts, not one of pages. "+
			"Import it in your own settings, under “Import a blog”.", "format", blog.Format)
	case len(blog.Posts) > domain.MaxImportPosts:
		return nil, domain.FieldError("file", "The file has too many texts.")
	}
	return blog, nil
}
