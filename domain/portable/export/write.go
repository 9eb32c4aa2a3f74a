package export

import (
	"archive/zip"
	"encoding/json"
	"io"
	"iter"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
)

// Write writes an export.
func Write(w io.Writer, s Source, now time.Time) error {
	z := zip.NewWriter(w)
	create := func(name string, method uint16) (io.Writer, error) {
		return z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: now})
	}
	var images []Image
	listed := []portable.Picture{}
	exported := make(map[string]bool)
	for image, err := range s.Images {
		if err != nil {
			return err
		}
		images = append(images, image)
		exported[image.Path] = true
		if image.Listed {
			listed = append(listed, portable.Picture{File: image.Path, Alt: image.Alt})
		}
	}
	document, err := create(FileName, zip.Deflate)
	if err != nil {
		return err
	}
	if err := writeDocument(document, s, listed, now); err != nil {
		return err
	}
	for p, err := range s.Posts() {
		if err != nil {
			return err
		}
		for name, text := range ownFiles(p, exported) {
			file, err := create(name, zip.Deflate)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(file, text); err != nil {
				return err
			}
		}
	}
	for _, image := range images {
		if err := copyImage(image, create); err != nil {
			return err
		}
	}
	return z.Close()
}

// ImagePath returns the path in an export of the picture with a name.
func ImagePath(name string) string { return imagesFolder + "/" + name }

func copyImage(image Image, create func(string, uint16) (io.Writer, error)) error {
	from, err := image.Open()
	if domain.Is(err, domain.NotFound) {
		return nil // it was deleted meanwhile
	}
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := create(image.Path, zip.Store) // images are compressed already
	if err == nil {
		_, err = io.Copy(to, from)
	}
	return err
}

func writeDocument(w io.Writer, s Source, images []portable.Picture, now time.Time) error {
	d := &document{w: w}
	d.field("format", exportFormat)
	d.field("version", exportVersion)
	d.field("exported", domain.Timestamp(now))
	if s.Site != nil {
		d.field("site", s.Site)
	} else {
		d.field("profile", s.Profile)
	}
	list(d, "posts", s.Posts(), func(p portable.Post) any { return ownPostOf(p) })
	d.field("images", images)
	if s.Site == nil {
		list(d, "comments", s.Comments, func(c portable.Comment) any { return c })
		list(d, "likes", s.Likes, func(r portable.Reaction) any { return r })
		if len(s.Follows) > 0 {
			d.field("follows", s.Follows)
		}
		list(d, "bookmarks", s.Bookmarks, func(r portable.Reaction) any { return r })
	}
	d.write("\n}\n")
	return d.err
}

// document writes one JSON object, field by field. It keeps the first error.
type document struct {
	w     io.Writer
	begun bool
	err   error
}

func (d *document) write(s string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, s)
	}
}

func (d *document) name(name string) {
	if d.begun {
		d.write(",\n")
	} else {
		d.write("{\n")
	}
	d.begun = true
	d.write("  \"" + name + "\": ")
}

func (d *document) value(v any) {
	body, err := json.Marshal(v)
	if d.err == nil {
		d.err = err
	}
	d.write(string(body))
}

func (d *document) field(name string, v any) {
	d.name(name)
	d.value(v)
}

func list[T any](d *document, name string, all iter.Seq2[T, error], as func(T) any) {
	d.name(name)
	d.write("[")
	first := true
	for each, err := range all {
		if d.err == nil {
			d.err = err
		}
		if d.err != nil {
			return
		}
		if !first {
			d.write(",")
		}
		first = false
		d.write("\n    ")
		d.value(as(each))
	}
	d.write("]")
}
