package portable

import (
	"path"
	"slices"
	"strings"
)

// folderGallery shows the pictures in the page's folder whose names match the pattern of a
// shortcode, such as {{< carousel images="trip/*" >}}. It is not ok for other shortcodes, and
// where no picture matches.
func (h *hugoText) folderGallery(c construct) (text string, ok bool) {
	if c.name != "carousel" && c.name != "gallery" || h.site == nil || h.site.files == nil {
		return "", false
	}
	pattern := c.arg("images", "match")
	if folder := c.arg("dir", "folder"); pattern == "" && folder != "" {
		pattern = strings.Trim(folder, "/") + "/*"
	}
	if pattern == "" {
		return "", false
	}
	if strings.Contains(pattern, ",") && !strings.Contains(pattern, "{") {
		pattern = "{" + pattern + "}"
	}
	matches, err := compileGlob(strings.TrimPrefix(pattern, "./"), "$")
	if err != nil {
		return "", false
	}
	folder := path.Dir(h.site.file) + "/"
	order := h.site.files.order
	first, _ := slices.BinarySearch(order, folder)
	var pictures []string
	for _, file := range order[first:] {
		name, inside := strings.CutPrefix(file, folder)
		if !inside || h.expanded >= maxText {
			break
		}
		if h.expanded++; IsImage(name) && matches.MatchString(name) {
			pictures = append(pictures, picture(name, "", ""))
			h.expanded += len(name)
		}
	}
	if len(pictures) == 0 {
		return "", false
	}
	return gallery(pictures, c.arg("caption")), true
}

// gallery is pictures next to each other, with a caption below.
func gallery(pictures []string, caption string) string {
	return figureBegin + figureMarks.Replace(strings.Join(pictures, "\n")) + figureMiddle +
		figureMarks.Replace(italic(caption)) + figureEnd
}

// listedGallery shows the pictures that the front matter lists under a name, as the theme Minimal
// Mistakes does.
func (l *liquid) listedGallery(args map[string]string, inHTML bool) (string, bool) {
	list := args["id"]
	if list == "" {
		list = "gallery"
	}
	items, _ := l.page.values.get(list).([]any)
	var pictures []string
	for _, item := range items {
		m := frontMatter(asMap(item))
		src := m.text("image_path")
		if full := m.text("url"); IsImage(full) {
			src = full
		}
		switch {
		case src == "":
		case inHTML:
			pictures = append(pictures, pictureTag(src, m.text("alt"), ""))
		default:
			pictures = append(pictures, picture(src, m.text("alt"), ""))
		}
	}
	switch {
	case len(pictures) == 0:
		return "", false
	case inHTML:
		return strings.Join(pictures, "\n"), true
	}
	return gallery(pictures, args["caption"]), true
}
