package wordpress

import (
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain/portable"
)

// attachment is a file that was uploaded to WordPress.
type attachment struct {
	id, parent, order int    // parent is the post that the file was uploaded for, or 0
	address, page     string // page shows it alone
	alt, caption      string // the caption is HTML
}

// attachments are all attachments of an export.
type attachments struct {
	list            []attachment
	byID            map[int]attachment
	files, pictures map[int][]int   // of a post, by its id; the pictures are among the files
	pages           map[string]bool // addresses of the pages that show a picture alone
}

func (a *attachments) add(item *wxrItem) {
	file := attachment{id: item.ID, parent: item.Parent, order: item.Order, address: strings.TrimSpace(item.Attachment),
		page: strings.TrimSpace(item.Link), caption: strings.TrimSpace(item.excerpt())}
	for _, meta := range item.Meta {
		if meta.Key == "_wp_attachment_image_alt" {
			file.alt = strings.TrimSpace(meta.Value)
		}
	}
	a.list = append(a.list, file)
}

// index makes the tables of the attachments.
func (a *attachments) index() {
	a.byID, a.pages = make(map[int]attachment), make(map[string]bool)
	a.files, a.pictures = make(map[int][]int), make(map[int][]int)
	for _, file := range a.list {
		former, twice := a.byID[file.id]
		a.byID[file.id] = file
		isNew := file.parent != 0 && !(twice && former.parent == file.parent)
		if isNew {
			a.files[file.parent] = append(a.files[file.parent], file.id)
		}
		if !portable.IsImage(pathOf(file.address)) {
			continue
		}
		if isNew {
			a.pictures[file.parent] = append(a.pictures[file.parent], file.id)
		}
		if file.page != "" {
			a.pages[file.page] = true
		}
	}
}

func pathOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Path
	}
	return ""
}

var (
	galleryIDs     = regexp.MustCompile(`(?:^|\s)(?:ids|include)\s*=\s*["']?([\d,\s]+)`)
	galleryExclude = regexp.MustCompile(`(?:^|\s)exclude\s*=\s*["']?([\d,\s]+)`)
	galleryPost    = regexp.MustCompile(`(?:^|\s)id\s*=\s*["']?(\d+)`)
)

// gallery returns the pictures of a gallery in a post as HTML: those in its attributes, or those that were uploaded for
// the post. It stops when the text exceeds the limit of an import. It also returns the number of pictures that it
// looked at.
func (a *attachments) gallery(attributes string, post int) (_ string, looked int) {
	var shown []attachment
	if m := galleryIDs.FindStringSubmatch(attributes); m != nil {
		for _, id := range numbers(m[1]) {
			looked++
			if file, ok := a.byID[id]; ok && file.address != "" {
				shown = append(shown, file)
			}
		}
	} else {
		if m := galleryPost.FindStringSubmatch(attributes); m != nil {
			post, _ = strconv.Atoi(m[1])
		}
		excluded := make(map[int]bool)
		if m := galleryExclude.FindStringSubmatch(attributes); m != nil {
			for _, id := range numbers(m[1]) {
				excluded[id] = true
			}
		}
		looked = len(a.pictures[post])
		for _, id := range a.pictures[post] {
			if !excluded[id] {
				shown = append(shown, a.byID[id])
			}
		}
		slices.SortFunc(shown, func(x, y attachment) int {
			return cmp.Or(cmp.Compare(x.order, y.order), cmp.Compare(x.id, y.id))
		})
	}
	var b strings.Builder
	for _, file := range shown {
		if b.Len() > portable.MaxText {
			break
		}
		b.WriteString(`<figure><img src="` + html.EscapeString(file.address) + `" alt="` + html.EscapeString(file.alt) +
			`">`)
		if file.caption != "" {
			b.WriteString("<figcaption>" + file.caption + "</figcaption>")
		}
		b.WriteString("</figure>")
	}
	return b.String(), looked
}

func numbers(list string) (found []int) {
	for word := range strings.SplitSeq(list, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(word)); err == nil {
			found = append(found, n)
		}
	}
	return found
}

var coverBlock = regexp.MustCompile(`<!--\s*wp:(?:core/)?cover(?:-image)?\s+(\{.*?\})\s*-->`)

// coverPictures inserts the pictures of cover blocks into the text above them. WordPress names these pictures only in a
// style.
func coverPictures(source string) string {
	var b strings.Builder
	end := 0
	covers := coverBlock.FindAllStringSubmatchIndex(source, -1)
	for i, m := range covers {
		b.WriteString(source[end:m[1]])
		end = m[1]
		next := len(source)
		if i+1 < len(covers) {
			next = covers[i+1][0]
		}
		block, _, _ := strings.Cut(source[end:next], "/wp:cover")
		var cover struct{ URL, Alt, BackgroundType string }
		if json.Unmarshal([]byte(source[m[2]:m[3]]), &cover) != nil || cover.URL == "" ||
			cover.BackgroundType == "video" ||
			strings.Contains(block, "wp-block-cover__image-background") {
			continue
		}
		b.WriteString(`<p><img src="` + html.EscapeString(cover.URL) + `" alt="` + html.EscapeString(cover.Alt) +
			`"></p>`)
	}
	return b.String() + source[end:]
}
