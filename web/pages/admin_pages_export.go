package pages

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
	"inkfeed/web/exporting"
	"inkfeed/web/site"
)

// adminPagesExport exports the static pages and what the site says about itself, as a zip that can be imported again.
type adminPagesExport struct {
	handler
	exporter *exporting.Exporter
}

func (h adminPagesExport) register(e *echo.Echo) { site.Get(e, site.PagesExportPath, h.download) }

func (h adminPagesExport) download(c echo.Context) error {
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	return h.exporter.Send(c, actor, "pages", func() (export.Source, error) { return h.source(c.Request().Context()) })
}

// source returns the content of the export.
func (h adminPagesExport) source(ctx context.Context) (export.Source, error) {
	pages, err := h.store.Pages.Get(ctx)
	if err != nil {
		return export.Source{}, err
	}
	settings, err := h.store.Settings.Get(ctx)
	if err != nil {
		return export.Source{}, err
	}
	described := portable.SiteOf(settings.Info, pages)
	var pictures []export.Image
	for field, stored := range settings.Info.Pictures() {
		if !stored.Exists() {
			continue
		}
		content, err := h.store.Settings.Picture(ctx, stored.Hash)
		if domain.Is(err, domain.NotFound) { // another has replaced it meanwhile
			continue
		}
		if err != nil {
			return export.Source{}, err
		}
		ending := ".png"
		if http.DetectContentType(content) == "image/jpeg" {
			ending = ".jpg"
		}
		file := export.ImagePath("site-" + field + ending)
		*described.Pictures()[field] = file
		pictures = append(pictures, export.Image{Path: file, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(content)), nil
		}})
	}
	return export.Source{Site: described,
		Posts: func() iter.Seq2[portable.Post, error] { return h.exporter.Posts(ctx, domain.SiteUserID, nil) },
		Images: func(yield func(export.Image, error) bool) {
			for _, p := range pictures {
				if !yield(p, nil) {
					return
				}
			}
			h.exporter.Images(ctx, domain.SiteUserID)(yield)
		}}, nil
}
