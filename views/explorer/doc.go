// Package explorer contains the pages of the data explorer of the embedded engine. They have a layout of their own,
// because they are not part of the blog.
package explorer
