package siteinfo

// Looks are the choices about how the pages of a site look. Each is the value of an option, and "" for the look that
// sites had before there was a choice. NewLooks is the choice of new sites.
type Looks struct {
	// Front is how the front page shows the newest posts: "", Magazine, List or Titles.
	Front string `json:"front,omitempty"`
}

// How the front page can show the newest posts.
const (
	Magazine = "magazine" // a lead post with a wide cover, then a grid of two columns
	List     = "list"     // compact rows
	Titles   = "titles"   // titles and dates only
)

// NewLooks returns the looks of a new site.
func NewLooks() Looks { return Looks{Front: Magazine} }
