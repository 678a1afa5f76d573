enum Migrations {}
