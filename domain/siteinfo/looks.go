package siteinfo

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"

	"inkfeed/domain/locale"
)

// Looks are the choices about how the pages of a site look. Each is the value of an option, and "" for the look that
// sites had before there was a choice. NewLooks is the choice of new sites, and LookFields describes the properties.
type Looks struct {
	// Front is how the front page shows the newest posts: "", Magazine, List or Titles.
	Front     string `json:"front,omitempty"`
	AccentUse string `json:"accentUse,omitempty"`
	Menu      string `json:"menu,omitempty"`
	Typeface  string `json:"typeface,omitempty"`
	Corners   string `json:"corners,omitempty"`
	Density   string `json:"density,omitempty"`
	Logo      string `json:"logo,omitempty"`
	Scheme    string `json:"scheme,omitempty"`
	Switch    string `json:"switch,omitempty"`
}

// How the front page can show the newest posts.
const (
	Magazine = "magazine" // a lead post with a wide cover, then a grid of two columns
	List     = "list"     // compact rows
	Titles   = "titles"   // titles and dates only
)

// Values of Looks that code asks for. The style sheets ask for all others.
const (
	MenuInHeader = "header" // the links to pages are beside the name
	TallLogo     = "tall"
	SchemeLight  = "light"
	SchemeDark   = "dark"
	SwitchShown  = "footer" // readers can switch between light and dark
	PairedSerif  = "serif"  // the typeface of new sites
)

// NewLooks returns the looks of a new site.
func NewLooks() Looks {
	return Looks{Front: Magazine, Menu: MenuInHeader, Typeface: PairedSerif, Logo: TallLogo, Switch: SwitchShown}
}

// LookField describes a property of Looks.
type LookField struct {
	Name    string // of the form's field and of the attribute of pages ("data-" and the name)
	Label   locale.Message
	Options []LookOption
	Former  locale.Message // the label of "" where no option has this value
	pointer func(*Looks) *string
}

// LookOption is a choice for a property of Looks.
type LookOption struct {
	Value string
	Label locale.Message
	Hint  locale.Message
}

// LookFields returns the properties of Looks in the order of the form.
func LookFields() iter.Seq[LookField] { return slices.Values(lookFields) }

var lookFields = []LookField{
	{Name: "front-look", Label: locale.M("Posts on the front page"),
		Former: locale.M("As before: the newest post large, then rows"),
		Options: []LookOption{
			{Magazine, locale.M("Magazine"), locale.M("A wide cover, then two columns. For posts with pictures.")},
			{List, locale.M("List"), locale.M("Rows with an extract and a small picture.")},
			{Titles, locale.M("Titles|look"), locale.M("Titles and dates only.")}},
		pointer: func(l *Looks) *string { return &l.Front }},
	{Name: "typeface", Label: locale.M("Typefaces"), Options: []LookOption{
		{PairedSerif, locale.M("Literary"), locale.M("Source Serif with Source Sans")},
		{"sans", locale.M("Clear|typeface"), locale.M("Inter for everything")},
		{"book", locale.M("Bookish"), locale.M("EB Garamond with Source Sans")},
		{"slab", locale.M("Sturdy"), locale.M("Bitter with Source Sans")},
		{"", locale.M("Light|typeface"), locale.M("Source Serif with the reader's own system typeface. Loads least.")}},
		pointer: func(l *Looks) *string { return &l.Typeface }},
	{Name: "accent-use", Label: locale.M("Use of the accent colour"), Options: []LookOption{
		{"", locale.M("Links and buttons"), locale.Message{}},
		{"band", locale.M("A band across the header, too"), locale.Message{}}},
		pointer: func(l *Looks) *string { return &l.AccentUse }},
	{Name: "menu", Label: locale.M("Links at the top"), Options: []LookOption{
		{MenuInHeader, locale.M("Beside the name"), locale.Message{}},
		{"", locale.M("On a line of their own"), locale.Message{}}},
		pointer: func(l *Looks) *string { return &l.Menu }},
	{Name: "logo-size", Label: locale.M("Height of the logo"), Options: []LookOption{
		{TallLogo, locale.M("Up to {size} pixels", "size", TallLogoHeight), locale.Message{}},
		{"", locale.M("Up to {size} pixels", "size", LogoHeight), locale.Message{}}},
		pointer: func(l *Looks) *string { return &l.Logo }},
	{Name: "scheme-switch", Label: locale.M("Switch between light and dark for readers"), Options: []LookOption{
		{SwitchShown, locale.M("At the bottom of each page"), locale.Message{}},
		{"", locale.M("None|switch"), locale.Message{}}},
		pointer: func(l *Looks) *string { return &l.Switch }},
	{Name: "corners", Label: locale.M("Corners"), Options: []LookOption{
		{"square", locale.M("Square|corners"), locale.Message{}},
		{"", locale.M("Soft|corners"), locale.Message{}},
		{"round", locale.M("Round|corners"), locale.Message{}}},
		pointer: func(l *Looks) *string { return &l.Corners }},
	{Name: "density", Label: locale.M("Density"), Options: []LookOption{
		{"airy", locale.M("Airy"), locale.Message{}},
		{"", locale.M("Normal|density"), locale.Message{}},
		{"compact", locale.M("Compact"), locale.Message{}}},
		pointer: func(l *Looks) *string { return &l.Density }},
	{Name: "scheme", Label: locale.M("Colour scheme"), Options: []LookOption{
		{"", locale.M("The reader's device decides"), locale.Message{}},
		{SchemeLight, locale.M("Light|colours"), locale.Message{}},
		{SchemeDark, locale.M("Dark|colours"), locale.Message{}}},
		pointer: func(l *Looks) *string { return &l.Scheme }},
}

// Of returns the value of the property.
func (f LookField) Of(l Looks) string { return *f.pointer(&l) }

// Set sets the property.
func (f LookField) Set(l *Looks, value string) { *f.pointer(l) = value }

// Option returns the option with a value. The value "" always has one.
func (f LookField) Option(value string) (o LookOption, found bool) {
	for _, o := range f.Options {
		if o.Value == value {
			return o, true
		}
	}
	return LookOption{Label: f.Former}, value == ""
}

// Choices returns the options to choose from. That of the former look is among them only while it is the stored value.
func (f LookField) Choices(stored string) []LookOption {
	if stored == "" && !f.Former.IsZero() {
		return append([]LookOption{{Label: f.Former}}, f.Options...)
	}
	return f.Options
}

// Look is everything of a site's look that can be restored together.
type Look struct {
	Looks  Looks  `json:"looks,omitzero"`
	Accent string `json:"accent,omitempty"`
	CSS    string `json:"css,omitempty"`
}

// Look returns the look of a site.
func (i Info) Look() Look { return Look{i.Looks, i.Accent, i.CSS} }

// WithLook returns the info with another look. The present one becomes the former one.
func (i Info) WithLook(l Look) Info {
	i.Former, i.Looks, i.Accent, i.CSS = i.Look(), l.Looks, l.Accent, l.CSS
	return i
}

// CSSPath begins the addresses of custom CSS.
const CSSPath = "/brand/css/"

// CSSAddress returns the address of custom CSS.
func CSSAddress(css string) string {
	sum := sha256.Sum256([]byte(css))
	return CSSPath + hex.EncodeToString(sum[:8]) + ".css"
}
