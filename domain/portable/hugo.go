package portable

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain"
)

// hugoPaths works out where Hugo served a page.
func (f *folder) hugoPaths(p *Post, rest string, m frontMatter) {
	rest = strings.TrimPrefix(rest, "content/")
	dir, base := path.Split(rest)
	dir = strings.TrimSuffix(dir, "/")
	stem := strings.TrimSuffix(base, path.Ext(base))
	language := ""
	if ext := strings.ToLower(strings.TrimPrefix(path.Ext(stem), ".")); ext != "" && f.isLanguage(ext) {
		language, stem = ext, strings.TrimSuffix(stem, path.Ext(stem))
	} else if first, more, _ := strings.Cut(dir, "/"); f.isLanguage(strings.ToLower(first)) {
		language, dir = strings.ToLower(first), more
	}
	if stem == "index" && dir != "" { // a bundle: the page is its folder
		dir, stem = path.Split(dir)
		dir = strings.TrimSuffix(dir, "/")
	}
	section, _, _ := strings.Cut(dir, "/")
	p.Slug = m.text("slug")
	last := p.Slug
	if last == "" {
		last = stem
		p.Slug = domain.Slug(stem)
	}
	prefix := f.blog.sites.prefix
	if language != "" && language != f.config.language {
		prefix += "/" + language
	}
	switch pattern, ok := f.config.permalinks[section]; {
	case m.text("url") != "":
		p.addOther(prefix, m.text("url"))
	case ok:
		p.addPath(prefix + "/" + strings.Trim(f.expandHugo(pattern, p, dir, section, stem, last), "/"))
	default:
		p.addPath(prefix + "/" + hugoPath(path.Join(dir, last)))
	}
	for _, alias := range m.list(" \t\n", "aliases") {
		p.addOther(prefix, alias)
	}
}

func (f *folder) isLanguage(name string) bool {
	if len(f.config.languages) == 0 {
		return name != "" && name == f.config.language
	}
	return slices.Contains(f.config.languages, name)
}

// hugoPath is how Hugo writes a name in an address.
func hugoPath(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, " ", "-"))
}

// expandHugo fills in one of Hugo's patterns for addresses.
func (f *folder) expandHugo(pattern string, p *Post, dir, section, stem, slug string) string {
	date := p.Created.In(f.config.zone)
	r := strings.NewReplacer(
		":year", date.Format("2006"), ":monthname", strings.ToLower(date.Format("January")), ":month", date.Format("01"), ":day", date.Format("02"),
		":yearday", strconv.Itoa(date.YearDay()), ":weekdayname", strings.ToLower(date.Format("Monday")),
		":sections", dir, ":section", section,
		":title", domain.Slug(p.Title), ":slugorcontentbasename", slug, ":slugorfilename", slug, ":slug", slugOrTitle(slug, stem, p.Title),
		":contentbasename", stem, ":filename", stem)
	return hugoPath(r.Replace(pattern))
}

// slugOrTitle is Hugo's :slug: the front matter's or what the title gives.
func slugOrTitle(slug, stem, title string) string {
	if slug == stem && title != "" {
		return domain.Slug(title)
	}
	return slug
}

var (
	shortcode      = regexp.MustCompile(`\{\{([<%])-?\s*(/?)\s*([\w./-]+)((?:\s+(?:[\w-]+\s*=\s*)?(?:"(?:[^"\\]|\\.)*"|` + "`[^`]*`" + `|[^\s"'>%/}][^\s">%}]*))*)\s*(/?)\s*-?[>%]\}\}`)
	escapedCode    = regexp.MustCompile(`(?s)\{\{([<%])/\*(.*?)\*/([>%])\}\}`)
	shortcodeParam = regexp.MustCompile(`(?:([\w-]+)\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|` + "`([^`]*)`" + `|([^\s"]+))`)
	highlighted    = regexp.MustCompile(`(?s)\{\{[<%]\s*highlight\s+"?([\w+#-]+)"?[^>%]*[>%]\}\}\n?(.*?)\n?\{\{[<%]\s*/\s*highlight\s*[>%]\}\}`)
)

// hugo translates Hugo's shortcodes.
func (t *translator) hugo(source string) string {
	if !strings.Contains(source, "{{") {
		return source
	}
	source = highlighted.ReplaceAllStringFunc(source, func(s string) string {
		m := highlighted.FindStringSubmatch(s)
		return fenced(m[1], m[2])
	})
	pairs := make(map[string]bool)
	for _, m := range shortcode.FindAllStringSubmatch(source, -1) {
		if m[2] == "/" {
			pairs[m[3]] = true
		}
	}
	source = shortcode.ReplaceAllStringFunc(source, func(s string) string {
		m := shortcode.FindStringSubmatch(s)
		return t.shortcode(s, strings.ToLower(m[3]), m[2] == "/", pairs[m[3]] && m[5] == "", m[4])
	})
	return setApart(escapedCode.ReplaceAllString(source, "{{$1$2$3}}"))
}

// shortcode translates one; s is what it stands as.
func (t *translator) shortcode(s, name string, closes, paired bool, parameters string) string {
	args := make(map[string]string)
	for i, m := range shortcodeParam.FindAllStringSubmatch(parameters, -1) {
		key := strings.ToLower(m[1])
		if key == "" {
			key = strconv.Itoa(i)
		}
		args[key] = strings.ReplaceAll(m[2]+m[3]+m[4], `\"`, `"`)
	}
	arg := func(keys ...string) string {
		for _, key := range keys {
			if args[key] != "" {
				return args[key]
			}
		}
		return ""
	}
	if closes {
		return ""
	}
	switch name {
	case "figure", "img", "image", "imgcap", "lightbox", "picture", "photo":
		src := arg("src", "link", "url", "0")
		if src == "" {
			break
		}
		caption := arg("caption", "title")
		if caption == "" && args["0"] != "" {
			caption = args["1"]
		}
		alt := arg("alt")
		if alt == "" {
			alt = caption
		}
		if name == "figure" || caption != "" {
			return figure(src, alt, caption)
		}
		return picture(src, alt, "")
	case "ref", "relref":
		target, fragment, _ := strings.Cut(arg("path", "0"), "#")
		if target != "" && path.Ext(target) == "" {
			target += ".md"
		}
		if fragment != "" {
			target += "#" + fragment
		}
		return destination(target)
	case "highlight":
		return "```"
	case "gist":
		return t.embedded("https://gist.github.com/" + arg("0") + "/" + arg("1"))
	}
	if to := embedding(name, arg("id", "user", "0", "url"), arg("id", "1")); to != "" {
		return t.embedded(to)
	}
	if paired {
		t.lose("the shortcode " + name + " is left out, and what it held is kept")
		return ""
	}
	t.lose("the shortcode " + name + " stands there as it was typed")
	return s
}

// embedded leaves a link to what was shown from elsewhere.
func (t *translator) embedded(to string) string {
	t.lose("what was embedded is a link now: " + to)
	return "<" + strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E").Replace(to) + ">"
}

// embedding is the address of what the shortcodes and tags of several generators show.
func embedding(name, id, second string) string {
	if id == "" {
		return ""
	}
	if strings.HasPrefix(id, "http://") || strings.HasPrefix(id, "https://") {
		switch name {
		case "youtube", "vimeo", "tweet", "twitter", "x", "instagram", "embed", "youtube.html", "soundcloud", "video", "wpvideo":
			return id
		}
		return ""
	}
	switch name {
	case "youtube", "youtubelite", "youtube-lite", "youtube.html", "video/youtube.html":
		return "https://www.youtube.com/watch?v=" + id
	case "vimeo", "vimeo.html":
		return "https://vimeo.com/" + id
	case "tweet", "x", "twitter":
		if second != "" && second != id {
			return "https://twitter.com/" + id + "/status/" + second
		}
		return "https://twitter.com/i/status/" + id
	case "instagram":
		return "https://www.instagram.com/p/" + id + "/"
	}
	return ""
}

// picture is a picture with what stands below it.
func picture(src, alt, caption string) string {
	quoted := strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]", "\n", " ").Replace(alt)
	text := "![" + quoted + "](" + destination(src) + ")"
	if caption = italic(caption); caption != "" {
		text += "\n\n" + caption
	}
	return text
}

// italic is a caption as it stands below a picture, on one line.
func italic(caption string) string {
	if caption = strings.Trim(strings.Join(strings.Fields(caption), " "), "* "); caption == "" {
		return ""
	}
	return "*" + caption + "*"
}

// fenced is a program's text, in a fence that it does not hold.
func fenced(language, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.Trim(code, "\n") + "\n" + fence
}
