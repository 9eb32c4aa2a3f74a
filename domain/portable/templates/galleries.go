package templates

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// folderGallery returns the pictures in the page's folder whose names match the pattern of a shortcode such as {{<
// carousel images="trip/*" >}}. It fails for other shortcodes, and if no picture matches.
func (h *hugoText) folderGallery(c markup.Construct) (text string, ok bool) {
	if c.Name != "carousel" && c.Name != "gallery" || h.site.Files == nil {
		return "", false
	}
	pattern := c.Arg("images", "match")
	if folder := c.Arg("dir", "folder"); pattern == "" && folder != "" {
		pattern = strings.Trim(folder, "/") + "/*"
	}
	if pattern == "" {
		return "", false
	}
	if strings.Contains(pattern, ",") && !strings.Contains(pattern, "{") {
		pattern = "{" + pattern + "}"
	}
	matches, err := portable.CompileGlob(norm.NFC.String(strings.TrimPrefix(pattern, "./")), "$")
	if err != nil {
		return "", false
	}
	folder := path.Dir(h.site.File) + "/"
	order := h.site.Files.Paths
	first, _ := slices.BinarySearch(order, folder)
	var pictures []string
	for _, file := range order[first:] {
		name, inside := strings.CutPrefix(file, folder)
		if !inside || h.budget <= 0 {
			break
		}
		h.budget.spend(1)
		if portable.IsImage(name) && matches.MatchString(name) {
			pictures = append(pictures, markup.Picture(name, "", ""))
			h.budget.spend(len(name))
		}
	}
	if len(pictures) == 0 {
		return "", false
	}
	return gallery(pictures, c.Arg("caption")), true
}

// gallery returns pictures next to each other, with a caption below them.
func gallery(pictures []string, caption string) string {
	return markup.FigureBegin + markup.FigureMarks.Replace(strings.Join(pictures, "\n")) + markup.FigureMiddle +
		markup.FigureMarks.Replace(markup.Italic(caption)) + markup.FigureEnd
}

// listedGallery returns the pictures that the front matter lists under a name, as in the theme Minimal Mistakes.
func (l *liquid) listedGallery(args map[string]string, inHTML bool) (string, bool) {
	list := args["id"]
	if list == "" {
		list = "gallery"
	}
	items, _ := l.page.Values.Get(list).([]any)
	var pictures []string
	for _, item := range items {
		if *l.budget <= 0 {
			return "", false
		}
		m := frontmatter.Values(frontmatter.AsMap(item))
		src := m.Text("image_path")
		if full := m.Text("url"); portable.IsImage(full) {
			src = full
		}
		picture := ""
		switch {
		case src == "":
			continue
		case inHTML:
			picture = pictureTag(src, m.Text("alt"), "")
		default:
			picture = markup.Picture(src, m.Text("alt"), "")
		}
		l.budget.spend(len(picture))
		pictures = append(pictures, picture)
	}
	switch {
	case len(pictures) == 0:
		return "", false
	case inHTML:
		return strings.Join(pictures, "\n"), true
	}
	return gallery(pictures, args["caption"]), true
}
