package portable

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

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
