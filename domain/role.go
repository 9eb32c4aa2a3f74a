package domain

// Role is a user's level of permissions. Each role includes the permissions of the roles before it.
type Role string

const (
	RoleReader        Role = "reader" // can comment, like and bookmark posts
	RoleAuthor        Role = ""       // can write posts; the default
	RoleModerator     Role = "moderator"
	RoleAdministrator Role = "administrator"
)

// Roles returns all roles, from the fewest permissions to the most.
func Roles() []Role { return []Role{RoleReader, RoleAuthor, RoleModerator, RoleAdministrator} }

// String returns the role's name, as people type it.
func (r Role) String() string {
	if r == RoleAuthor {
		return "author"
	}
	return string(r)
}

// ParseRole returns the role with a name. The error is Invalid, about the field "role".
func ParseRole(name string) (Role, error) {
	for _, r := range Roles() {
		if r.String() == name {
			return r, nil
		}
	}
	return "", FieldError("role", "Choose a role: reader, author, moderator or administrator.")
}

// MayWrite reports whether users with the role may publish posts.
func (r Role) MayWrite() bool { return r != RoleReader }

// MayModerate reports whether users with the role may moderate other users' texts.
func (r Role) MayModerate() bool { return r == RoleModerator || r == RoleAdministrator }

// MayAdminister reports whether users with the role may manage accounts and the site.
func (r Role) MayAdminister() bool { return r == RoleAdministrator }
