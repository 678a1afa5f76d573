/// The shell scripts of `--generate-completion-script`, which ask the program at each TAB.
enum CompletionScript: String, CaseIterable {
  case bash, zsh, fish

  /// The hidden command with which a script asks: the shell, then the words up to the cursor.
  static let request = "---complete"
  private static let program = "carillon"

  /// Returns the script that the arguments request, or nil if they request none.
  ///
  /// An unknown shell is left to the parser.
  init?(_ given: [String]) {
    let option = "--generate-completion-script"
    let name =
      given.first == option ? given.dropFirst().first : given.first?.valueOfOption(named: option)
    guard let name, let script = Self(rawValue: name) else { return nil }
    self = script
  }

  var text: String {
    switch self {
    case .bash:
      """
      _carillon() {
        local IFS=$'\\n' current="${COMP_WORDS[COMP_CWORD]}"
        local answer words=("${COMP_WORDS[@]:1:COMP_CWORD}")
        answer=$("${COMP_WORDS[0]}" \(Self.request) bash "${words[@]}" 2>/dev/null)
        COMPREPLY=()
        case "$answer" in
          '') ;;
          :directories) compopt -o filenames; COMPREPLY=($(compgen -d -- "$current")) ;;
          :files) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
          *) set -o noglob; COMPREPLY=($answer); set +o noglob ;;
        esac
      }
      complete -F _carillon \(Self.program)

      """
    case .zsh:
      """
      #compdef carillon
      _carillon() {
        local -a candidates
        local answer
        answer=$("${words[1]}" \(Self.request) zsh "${(@)words[2,CURRENT]}" 2>/dev/null)
        candidates=("${(@f)answer}")
        case "${candidates[1]}" in
          '') ;;
          :directories) _path_files -/ ;;
          :files) _files ;;
          *) compadd -U -- "${candidates[@]}" ;;
        esac
      }
      compdef _carillon \(Self.program)

      """
    case .fish:
      """
      function __carillon_complete
          set -l words (commandline -opc) (commandline -ct)
          set -l candidates (command $words[1] \(Self.request) fish $words[2..-1] 2>/dev/null)
          switch "$candidates[1]"
              case ':directories'
                  __fish_complete_directories (commandline -ct)
              case ':files'
                  __fish_complete_path (commandline -ct)
              case '*'
                  printf '%s\\n' $candidates
          end
      end
      complete -c carillon -f -a '(__carillon_complete)'

      """
    }
  }
}

extension String {
  /// The value of `--name=value`, or nil for another text.
  fileprivate func valueOfOption(named name: String) -> String? {
    hasPrefix(name + "=") ? String(dropFirst(name.count + 1)) : nil
  }
}
