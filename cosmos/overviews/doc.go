// Package overviews stores the lists of all accounts and of all comments, for administrators and moderators. Each list
// is a logical partition of the container overviews. Its rows are copies, which the projectors of users and posts keep
// current. See docs/data-model.md.
package overviews
