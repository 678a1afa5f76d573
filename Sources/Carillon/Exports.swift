// Users of the store need its value types and sync reports, and should have to import only one
// module.
@_exported public import CarillonModel
@_exported public import CarillonSync
