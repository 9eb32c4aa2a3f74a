package portable

import "inkfeed/domain/siteinfo"

// Site is the exported settings and static pages of a site: see siteinfo.Info.
type Site struct {
	Name          string          `json:"name,omitempty"`
	Tagline       string          `json:"tagline,omitempty"`
	Description   string          `json:"description,omitempty"`
	Accent        string          `json:"accent,omitempty"`
	CSS           string          `json:"css,omitempty"`
	Footer        string          `json:"footer,omitempty"`
	Links         []siteinfo.Link `json:"links,omitempty"`
	Language      string          `json:"language,omitempty"`
	TimeZone      string          `json:"timeZone,omitempty"`
	Contact       string          `json:"contact,omitempty"`
	PostalAddress string          `json:"postalAddress,omitempty"`
	Logo          string          `json:"logo,omitempty"`     // a file in the export
	LogoDark      string          `json:"logoDark,omitempty"` // a file in the export
	Icon          string          `json:"icon,omitempty"`     // a file in the export
	Looks         *siteinfo.Looks `json:"looks,omitempty"`    // older exports have none
	Pages         []SitePage      `json:"pages"`              // in their order
}

// SitePage is the entry of a static page. Its text is the post with its id, if it has one.
type SitePage struct {
	ID         string   `json:"id"`
	Path       string   `json:"path"`
	Label      string   `json:"label,omitempty"`
	Navigation bool     `json:"navigation,omitempty"`
	Footer     bool     `json:"footer,omitempty"`
	Former     []string `json:"former,omitempty"` // former addresses, the oldest first
}

// SiteOf returns the exported form of a site. The caller adds the pictures.
func SiteOf(i siteinfo.Info, pages siteinfo.Pages) *Site {
	s := &Site{Name: i.Name, Tagline: i.Tagline, Description: i.Description, Accent: i.Accent, CSS: i.CSS,
		Footer: i.Footer, Links: i.SetLinks(), Looks: &i.Looks,
		Language: i.Language, TimeZone: i.TimeZone, Contact: i.Contact, PostalAddress: i.PostalAddress,
		Pages: []SitePage{}}
	for _, p := range pages.List {
		page := SitePage{ID: p.PostID, Path: p.Path, Label: p.Label, Navigation: p.Navigation, Footer: p.Footer}
		for _, f := range pages.Former {
			if f.PostID == p.PostID {
				page.Former = append(page.Former, f.Path)
			}
		}
		s.Pages = append(s.Pages, page)
	}
	return s
}

// Pictures returns the files of the site's pictures by the names of their fields: see siteinfo.Info.Pictures.
func (s *Site) Pictures() map[string]*string {
	return map[string]*string{"logo": &s.Logo, "logoDark": &s.LogoDark, "icon": &s.Icon}
}

// Describe returns the settings of a site with the exported name, looks and texts. The pictures stay.
func (s *Site) Describe(i siteinfo.Info) siteinfo.Info {
	look := siteinfo.Look{Looks: i.Looks, Accent: s.Accent, CSS: s.CSS}
	if s.Looks != nil {
		look.Looks = *s.Looks
	}
	if look != i.Look() {
		i = i.WithLook(look)
	}
	i.Name, i.Tagline, i.Description, i.Footer = s.Name, s.Tagline, s.Description, s.Footer
	i.Language, i.TimeZone, i.Contact, i.Links = s.Language, s.TimeZone, s.Contact, [siteinfo.MaxLinks]siteinfo.Link{}
	i.PostalAddress = s.PostalAddress
	copy(i.Links[:], s.Links)
	return i
}
