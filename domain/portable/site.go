package portable

import "inkfeed/domain/siteinfo"

// Site is the exported settings and static pages of a site: see siteinfo.Info.
type Site struct {
	Name        string          `json:"name,omitempty"`
	Tagline     string          `json:"tagline,omitempty"`
	Description string          `json:"description,omitempty"`
	Accent      string          `json:"accent,omitempty"`
	Footer      string          `json:"footer,omitempty"`
	Links       []siteinfo.Link `json:"links,omitempty"`
	Language    string          `json:"language,omitempty"`
	TimeZone    string          `json:"timeZone,omitempty"`
	Contact     string          `json:"contact,omitempty"`
	Logo        string          `json:"logo,omitempty"` // a file in the export
	Icon        string          `json:"icon,omitempty"` // a file in the export
	Pages       []SitePage      `json:"pages"`          // in their order
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
	s := &Site{Name: i.Name, Tagline: i.Tagline, Description: i.Description, Accent: i.Accent, Footer: i.Footer,
		Links: i.FooterLinks(), Language: i.Language, TimeZone: i.TimeZone, Contact: i.Contact, Pages: []SitePage{}}
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

// Describe returns the settings of a site with the exported name, looks and texts. The logo and the icon stay.
func (s *Site) Describe(i siteinfo.Info) siteinfo.Info {
	i.Name, i.Tagline, i.Description, i.Accent, i.Footer = s.Name, s.Tagline, s.Description, s.Accent, s.Footer
	i.Language, i.TimeZone, i.Contact, i.Links = s.Language, s.TimeZone, s.Contact, [siteinfo.MaxLinks]siteinfo.Link{}
	copy(i.Links[:], s.Links)
	return i
}
