package siteinfo

import (
	"iter"
	"strconv"
	"strings"
)

// Picture is the logo or the icon of a site. Its content is stored under its hash.
type Picture struct {
	Hash   string `json:"hash,omitempty"`   // of the content, in hexadecimal digits; empty: no picture
	Width  int    `json:"width,omitempty"`  // of the content, in pixels
	Height int    `json:"height,omitempty"` // of the content, in pixels
	Tone   Tone   `json:"tone,omitempty"`
}

// Tone says on which backgrounds a picture can be seen.
type Tone string

// The tones of pictures.
const (
	AnyTone   Tone = ""      // on all backgrounds
	DarkTone  Tone = "dark"  // dark on transparent: needs a light background
	LightTone Tone = "light" // light on transparent: needs a dark background
)

// hashLength is the length of a picture's hash.
const hashLength = 32

// IsPictureHash reports whether a text has the form of a picture's hash.
func IsPictureHash(text string) bool {
	return len(text) == hashLength && strings.Trim(text, "0123456789abcdef") == ""
}

// Exists reports whether there is a picture.
func (p Picture) Exists() bool { return p.Hash != "" }

// Valid reports whether the picture is one that can be stored, or none.
func (p Picture) Valid() bool {
	return p == Picture{} || IsPictureHash(p.Hash) && p.Width > 0 && p.Height > 0 &&
		(p.Tone == AnyTone || p.Tone == DarkTone || p.Tone == LightTone)
}

// Heights of a logo in the header, in CSS pixels.
const (
	LogoHeight     = 32
	TallLogoHeight = 48
)

// LogoHeight returns the height of the logo in the header, in CSS pixels.
func (l Looks) LogoHeight() int {
	if l.Logo == TallLogo {
		return TallLogoHeight
	}
	return LogoHeight
}

// WidthAt returns the width of the picture with a height.
func (p Picture) WidthAt(height int) int {
	if !p.Exists() {
		return 0
	}
	return max(1, (height*p.Width+p.Height/2)/p.Height)
}

// Wide reports whether a logo stands in place of the site's name, and not only beside it.
func (p Picture) Wide() bool { return p.Width >= 2*p.Height }

// Sizes of icons, in pixels.
const (
	SmallIcon  = 32  // in tabs
	AppleIcon  = 180 // on the home screens of Apple's devices: without transparency
	MediumIcon = 192
	LargeIcon  = 512
)

// Forms of a picture in addresses, besides the sizes of icons.
const (
	LogoForm     = "logo"
	MaskableForm = "maskable" // a large icon whose edges may be cut off
)

// PicturePrefix begins the addresses of the site's pictures.
const PicturePrefix = "/brand/"

// LogoPath returns the address of the picture as the logo in the header.
func (p Picture) LogoPath() string { return p.path(LogoForm) }

// IconPath returns the address of the picture as an icon with one of the sizes.
func (p Picture) IconPath(size int) string { return p.path(strconv.Itoa(size)) }

// MaskablePath returns the address of the picture as a maskable icon.
func (p Picture) MaskablePath() string { return p.path(MaskableForm) }

func (p Picture) path(form string) string { return PicturePrefix + p.Hash + "-" + form + ".png" }

// ParsePictureFile returns the hash and the form in the last part of a picture's address.
func ParsePictureFile(file string) (hash, form string, ok bool) {
	name, png := strings.CutSuffix(file, ".png")
	hash, form, _ = strings.Cut(name, "-")
	switch form {
	case LogoForm, MaskableForm, strconv.Itoa(SmallIcon), strconv.Itoa(AppleIcon), strconv.Itoa(MediumIcon),
		strconv.Itoa(LargeIcon):
		return hash, form, png && IsPictureHash(hash)
	}
	return "", "", false
}

// Pictures returns the names of the fields of the site's pictures, with the pictures, to read and to set them.
func (i *Info) Pictures() iter.Seq2[string, *Picture] {
	return func(yield func(string, *Picture) bool) {
		_ = yield("logo", &i.Logo) && yield("logoDark", &i.LogoDark) && yield("icon", &i.Icon)
	}
}

// KeepPictures sets the pictures to those of another info.
func (i *Info) KeepPictures(of Info) { i.Logo, i.LogoDark, i.Icon = of.Logo, of.LogoDark, of.Icon }

// PictureHashes returns the hashes of the site's pictures.
func (i Info) PictureHashes() (hashes []string) {
	for _, p := range i.Pictures() {
		if p.Exists() {
			hashes = append(hashes, p.Hash)
		}
	}
	return hashes
}

// IconPicture returns the picture from which the icons are made: the icon, or else the logo.
func (i Info) IconPicture() Picture {
	if i.Icon.Exists() {
		return i.Icon
	}
	return i.Logo
}
