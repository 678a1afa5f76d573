// Users of the store need its values and its sync reports, and should import one module.
@_exported public import CarillonModel
@_exported public import CarillonSync
