import ArgumentParser
@main struct CarillonCommand: ParsableCommand {}
