// Package mails has the layout and the bodies of HTML mails. They are tables with inline styles, because mail programs
// drop style sheets, and load nothing but pictures of the site. Colours of the dark scheme are the one thing that a
// style element sets, for programs that know it.
package mails

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"inkfeed/domain/palette"
	"inkfeed/domain/siteinfo"
)

// Width is the width of the text and of pictures, in CSS pixels.
const Width = 560

// Look has the styles of the mails of a site.
type Look struct {
	inline map[string]templ.SafeCSS
	dark   palette.Scheme
}

// The colours of the site's pages: see static/styles/01-tokens.css.
const (
	paper, ink, muted, rule, tint = "#fbfaf6", "#211f1b", "#655f56", "#e3ded2", "#f2efe6"
	sans                          = "font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;"
	serif                         = "font-family:Georgia,Times New Roman,serif;"
	mono                          = "font-family:Menlo,Consolas,monospace;"
	heading                       = "font-weight:bold;line-height:1.25;"
)

// NewLook returns the look of mails with an accent colour, which is empty for the default.
func NewLook(accent string) Look {
	colours, err := palette.Of(accent)
	if err != nil {
		colours = palette.Palette{Light: palette.Scheme{Accent: "#1b4b86", OnAccent: "#ffffff"},
			Dark: palette.Scheme{Accent: "#9fc5f8", OnAccent: "#10203a"}}
	}
	link := "color:" + colours.Light.Accent + ";"
	cell := serif + "font-size:16px;padding:6px 10px;vertical-align:top;word-break:normal;border:1px solid " + rule
	list := "margin:0 0 16px;padding:0 0 0 26px;padding-inline:26px 0"
	small := sans + "font-size:14px;line-height:1.5;color:" + muted + ";"
	return Look{dark: colours.Dark, inline: map[string]templ.SafeCSS{
		"body":  templ.SafeCSS("margin:0;padding:0;background-color:" + paper),
		"outer": "padding:24px 12px",
		"frame": "table-layout:fixed;width:100%;max-width:" + css(Width) + "px",
		"header": templ.SafeCSS("padding:16px 0 20px;border-top:4px solid " + colours.Light.Accent + ";" + sans +
			"font-size:17px;font-weight:bold"),
		"name":       templ.SafeCSS("text-decoration:none;color:" + ink),
		"logo":       "vertical-align:middle;border:0;border-radius:4px",
		"logo-dark":  templ.SafeCSS("vertical-align:middle;border:0;border-radius:4px;background-color:" + ink),
		"content":    templ.SafeCSS(serif + "font-size:18px;line-height:1.55;word-break:break-word;color:" + ink),
		"footer":     templ.SafeCSS(small + "padding:20px 0;border-top:1px solid " + rule),
		"line":       "margin:0 0 10px",
		"cover":      "display:block;width:100%;max-width:" + css(Width) + "px;height:auto;border:0;margin:0 0 20px",
		"h1":         templ.SafeCSS(heading + "margin:0 0 8px;font-size:28px"),
		"subtitle":   templ.SafeCSS("margin:0 0 10px;font-size:19px;line-height:1.4;color:" + muted),
		"byline":     templ.SafeCSS(small + "margin:0 0 24px"),
		"meta":       templ.SafeCSS(small + "margin:0 0 6px"),
		"group":      templ.SafeCSS(small + "margin:28px 0 14px;padding:0 0 6px;border-bottom:1px solid " + rule),
		"button-box": "margin:26px 0 20px",
		"button": templ.SafeCSS(sans + "display:inline-block;padding:11px 20px;border-radius:6px;font-size:16px;" +
			"font-weight:bold;text-decoration:none;background-color:" + colours.Light.Accent + ";color:" +
			colours.Light.OnAccent),
		// Elements of texts
		"a":          templ.SafeCSS(link),
		"p":          "margin:0 0 16px",
		"h2":         templ.SafeCSS(heading + "margin:28px 0 10px;font-size:23px"),
		"h3":         templ.SafeCSS(heading + "margin:24px 0 8px;font-size:20px"),
		"h4":         templ.SafeCSS(heading + "margin:20px 0 8px;font-size:18px"),
		"h5":         templ.SafeCSS(heading + "margin:20px 0 8px;font-size:18px"),
		"h6":         templ.SafeCSS(heading + "margin:20px 0 8px;font-size:18px"),
		"ul":         templ.SafeCSS(list),
		"ol":         templ.SafeCSS(list),
		"li":         "margin:0 0 6px",
		"dl":         "margin:0 0 16px",
		"div":        "margin:0 0 16px",
		"dt":         "font-weight:bold",
		"dd":         "margin:0 26px 8px",
		"blockquote": templ.SafeCSS("margin:0 0 16px;padding:0 16px;border-inline-start:3px solid " + rule),
		"pre": templ.SafeCSS(mono + "margin:0 0 16px;padding:12px;font-size:14px;line-height:1.45;" +
			"white-space:pre-wrap;background-color:" + tint),
		"code":       templ.SafeCSS(mono + "font-size:0.86em"),
		"table-box":  "overflow-x:auto;margin:0 0 16px",
		"table":      "border-collapse:collapse",
		"th":         templ.SafeCSS(cell + ";font-weight:bold"),
		"td":         templ.SafeCSS(cell),
		"hr":         templ.SafeCSS("margin:24px 0;border:0;border-top:1px solid " + rule),
		"figure":     "margin:0 0 16px",
		"figcaption": templ.SafeCSS(small + "padding:6px 0 0"),
		"img":        "max-width:100%;height:auto;border:0",
		"summary":    "margin:0 0 8px;font-weight:bold",
	}}
}

func css(n int) templ.SafeCSS { return templ.SafeCSS(strconv.Itoa(n)) }

// Style returns the inline style of an element of a text or of a part of the layout. It is empty for others.
func (l Look) Style(part string) templ.SafeCSS { return l.inline[part] }

// darkStyle sets the colours of the dark scheme over the inline ones.
func (l Look) darkStyle() string {
	return "@media (prefers-color-scheme:dark){" + strings.NewReplacer("ACCENT", l.dark.Accent, "ON", l.dark.OnAccent).
		Replace("body,.page{background-color:#16181c!important}"+
			".text,.name{color:#e3dfd6!important}.muted{color:#a6a097!important}a.link{color:ACCENT!important}"+
			".button{background-color:ACCENT!important;color:ON!important}.header{border-top-color:ACCENT!important}"+
			".tint{background-color:#1f2227!important}.edge{border-color:#2f3238!important}"+
			".logo-light{background-color:#fbfaf6!important}") + "}"
}

// Frame is what the layout of each mail shows around its body.
type Frame struct {
	Look        Look
	Base        string // the site's address, without a trailing slash
	Subject     string
	Why         string // why the receiver gets the mail
	Unsubscribe string // an address; empty: none
	Manage      string // the address of all subscriptions of the receiver; empty: none
}

// logo returns the look of a logo: some are dark or light on a transparent ground.
func logo(p siteinfo.Picture) (style, class string) {
	switch p.Tone {
	case siteinfo.DarkTone:
		return "logo", "logo-light"
	case siteinfo.LightTone:
		return "logo-dark", ""
	}
	return "logo", ""
}

// lines splits an address into its lines.
func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
