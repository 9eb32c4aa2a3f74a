package domain

// Role is what a user may do beyond reading. Each may what those before it may.
type Role string

const (
	RoleReader        Role = "reader" // comments, likes and keeps posts
	RoleAuthor        Role = ""       // writes posts: who has no other role
	RoleModerator     Role = "moderator"
	RoleAdministrator Role = "administrator"
)

// Roles lists them, the one that may least first.
func Roles() []Role { return []Role{RoleReader, RoleAuthor, RoleModerator, RoleAdministrator} }

// String is the role's name, as people know and type it.
func (r Role) String() string {
	if r == RoleAuthor {
		return "author"
	}
	return string(r)
}

// ParseRole is the role of that name.
func ParseRole(name string) (Role, error) {
	for _, r := range Roles() {
		if r.String() == name {
			return r, nil
		}
	}
	return "", FieldError("role", "Choose a role: reader, author, moderator or administrator.")
}

// MayWrite tells whether users of that role publish posts.
func (r Role) MayWrite() bool { return r != RoleReader }

// MayModerate tells whether they decide about what others wrote.
func (r Role) MayModerate() bool { return r == RoleModerator || r == RoleAdministrator }

// MayAdminister tells whether they decide about accounts and the site.
func (r Role) MayAdminister() bool { return r == RoleAdministrator }
