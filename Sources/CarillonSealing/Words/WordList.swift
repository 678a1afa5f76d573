extension Words {
  /// The words of `protocol/words.txt`, in order.
  ///
  /// They are common words of 4 to 7 letters, selected for this use. Each begins with four letters
  /// of its own, and at least two letters differ between any two, so that one wrong letter, or two
  /// swapped ones, never turn a word into another.
  static let list: [String] = """
    abacus abandon abbey abbot ability able abolish about above abroad abrupt absence absorb absurd
    acacia access accord accuse achieve acid acorn acquire acre acronym action actual address adjust
    admit adopt adore adult advance advert advise aerial affable affirm afloat again agency agree
    airport ajar alarm album alcove alert algae algebra alias align alive alkali allow allure ally
    almost aloft alone alpha already also altar always amateur amaze ambient ambush amend amount
    ampere amuse anagram analogy anarchy anatomy anchor ancient angle animal annoy annual anomaly
    answer antenna anthem antique antler anxious apart apex apology appeal apple appoint approve
    apron arbor arcane archive area argue army aroma around arrange arrive artery artful artist
    ascend ashamed ashen ashore aspect asset assign astray atlas atom attach attend attic auburn
    audio august aunt aura author auto autumn average avoid awake award away awesome awkward azure
    baby back bagel baggage bait bakery balance bald ballet bamboo banana bang banjo banter bargain
    barley barman barrel basalt base basis basket bathe baton battery bazaar beacon beam beauty
    beaver become bedroom beef begin behave beige believe belong bench benefit benign beret best
    beta between beware bible bicycle binary biology birch bird biscuit bishop bison bite bitmap
    blade blank blast bleat bless blimp blind blitz blob block blossom blouse bluff blunt blur board
    boat bobbin bobcat body boil bone bonfire bonnet bonus booklet boom boost border boredom borrow
    botany bottom bounce boxcar bracket brag brainy brake brand bravo break breeze brewery bridge
    brief bright brittle broach bronze brook broth brown brush bubble bucket buddy budget buffet
    buggy bugle build bulk bundle burden bureau burger burn burst bustle busy butcher butler button
    buzz bypass byway cabbage cabinet cactus cadet calm camera campus canal cancel candle canine
    cannon canopy canvas capable capital captain carat carbon card careful cargo carol carpet
    cartoon casino castle casual catwalk caution cave caviar cease cedar ceiling celery cellar
    cement censor central cereal certify chair chalk chamber chance chapter charge chat cheap
    cheddar cheek cherry chess chewy chicken chief child chime china chip chisel choice choose
    choppy chorus chrome chuck chum chunky church cigar cinema cipher circle citizen citric city
    civil claim clap clarify classic clause clear cleft clergy clever click client cliff climb
    clinic clog closet cloth cloud cloven clue clump cluster clutch coach coal cobalt cobble cobra
    cobweb cocoa code coffee collect colon column combine comedy comfort comic common company
    comrade concept confirm console contact convoy cookie copy cordon cornet corpus correct cosmos
    cost cougar county couple course cousin cowboy cowgirl coyote crack cradle crane crawl crayon
    create credit crew cricket crimson crisp critic croak crocus cross crowd crucial crumb crunch
    crystal cubic cuddle culture curious curl current cursor curtain curve cushion custom cutback
    cute cutlet cycle cynical czar dainty daisy dampen dance dandy darken darling dart data daytime
    daze dazzle dear debate debug decade decimal declare deep default define degree delay deliver
    delta deluxe demand density dentist depart depot depth deputy desire desk destine detail detour
    develop device diagram dial diary diesel diet digit dignity dilemma direct disable disc dismiss
    display distant divert divide divorce doctor dodge dodo dogwood dollar dolphin domain domino
    donate donkey door double down dozen drafty dragon drama drape drastic draw dream dressy dribble
    drift drill drink drive drop drowsy drudge drum dryness dugout duke dump duplex dusky dust duty
    duvet dwarf dynamic eagle earth eastern easy echo ecology economy eddy edge edible edit educate
    eerie effort eighth elapse elbow elegant element eleven elite embalm emblem embryo emerge
    eminent emperor empire employ empty emulate enable enamel encase enclose encode endless endow
    energy enforce engage engine engulf enhance enjoy enlarge enlist enrich ensign ensure entire
    entry envy epic episode equal equip erase erect erode errand escape escort essence esteem
    eternal ethical ethnic event every evolve exact examine excel excite exhale exhibit exist exotic
    expand expect explore export express extent extra fabric facet facile factor faculty fairy faith
    falcon family famous fancy fantasy farther fashion fast fate feature federal feel feline female
    fence fennel fern ferry fetch fiction field fifty figure fillet film filter final finger finite
    first fish five fizz fjord flash flat fleet flex flint floor floppy floral floss flow fluency
    fluffy fluid flurry flute foamy focus foggy folk follow footage forage forever forget form
    fortune forward fossil fount fourth foxy fragile frame frank free french fresh friar friend
    frilly frizzy frog frolic front frosty frozen fruit fund fungus funny furrow fuse fusion future
    fuzzy gadget gaiety galaxy gallon gambit game gamma gander garbage garden gargle garlic garnet
    garter gateway gather gauze gazelle gecko geese gelato general genius genre gentle genuine
    geology gesture getaway ghost gift girder girl given glacier glad glance glass glaze glean glee
    glimmer glitter global glory glossy gnome goalie goatee goblet golden golf gondola good goose
    gopher gospel gossip govern grab grade grammar grant graph grasp gravity great green griddle
    grim grind gritty grocer groove group growth guard guava guide guilty guinea guitar gulp habit
    haircut half hamlet hamper hamster hand hangar happen hardy harmony harness harpoon harvest
    hasten haven hawk hazard hazel hazy head health heart heavy heir helium hello helmet help herald
    herb heron hexagon heyday high hill hinge hint hire history hobby hobnob hockey hold holiday
    homage home honesty hoop hooray hopeful horizon horn horse hotbed hotel hour huff huge human
    humble humid hundred hungry hurdle hurry husband husk hutch hybrid hydrant hymn hyphen icicle
    icon idea igloo iguana image immune impact impose improve impulse inch include income indeed
    indigo indulge influx inherit initial injury inky inlay inlet input inquiry insert inside
    inspire instant intact integer invent invite iodine iota island isolate issue italic item ivory
    jackal jade jaguar jamb jasmine jasper jawbone jazz jeans jersey jetty jewel jiffy jigsaw jinx
    join joke journal jovial joyful jubilee judge judo juice jumbo jumpy jungle junior juror jury
    justify kale karate kayak kernel kestrel keyword khaki kidney kilt kimono kingdom kitchen kiwi
    knee knife knit knives knock know koala label ladle lady lagoon lain lambda lamp lane lanky
    lantern large latte laugh laurel lava lawful lawyer layout leaf league learn leash leather leave
    lecture leeway legal legend legume leisure lemon lemur length lesson lettuce letup level liberty
    library lichen life liken lilac limit linear lingo link lion liquid list litany literal little
    llama load loaves lobster local locust logic logo loiter long look loosen lotus love lucky
    luggage lumber lunar lunch lunge luxury lyric machine magic magnet magpie maiden mail maize
    major make mama mammal manage mandate mango mankind mantel manual maple marble march margin
    marine mark maroon marry marshy marvel mascot mason massive matrix maximum meadow mean measure
    media medley meet melody member memory mention menu meow mercy merit mesh messy metal meteor
    method metro middle midway mighty migrate mileage milk million mimic mind mineral minimum minnow
    minor minute miracle mirror mission misty mitten mixture mobile mocha modern modify module
    mohair moist mollusk moment monarch money monitor monk monster month moody moon moral more
    morsel mosaic mosque motion motley motor motto mouse movie muck muffin multi muscle museum mushy
    music musket mussel mustang mystic myth napkin nappy narrow narwhal nation nature naval nearby
    nebula neck nectar needle neglect neon nephew nervous nestle network neuron neutral newborn next
    nibble nice nickel night ninety ninth noble noisy nomad nonstop noodle normal north notable
    notice noun nova novel nozzle nuclear nugget numeral nurse nurture nutmeg obelisk object oblong
    oboe observe obtain obvious occur ocean ocelot octave ocular offend offhand office offload
    offset oily okay omega omit once ongoing onion onset onward opal open operate opinion oppose
    option oracle orator orbit orchid oregano organ orient origin oriole orphan osmosis outcome
    outdo outline output outside outwit overall oxide oxygen oyster ozone pacific packet paddle page
    pagoda pair palace pancake panda panel papaya paprika parade parcel pardon parent parish parka
    parrot parsley party passage pastry patchy path patient patron pattern pause payment peace peak
    peanut pearl peasant pebble pecan pedal pellet pelvic penalty pencil pending penguin pennant
    peony people percent perform period permit person petite petrol pewter phone photo phrase physic
    piano pick picnic picture piece pigeon pigtail pillow pipe piston pitch pitfall pivot pixie
    pizza planet plaque plastic plate play plaza plea pledge plenty pliers plot pluck plug plumb
    plural podium poem poetic police polka pollen poncho pontoon pool poppy popular porch porous
    port pose postal potato pottery pound powder prairie pram prawn precede predict prefer premium
    prepare press pretty prevent prickle prime print prism private problem process produce profit
    project prolong prompt pronoun proof propose protest proud prove public pueblo puffy pull pulse
    puma pupil puppet pure purity purpose pursue push putty puzzle quail quake qualify quantum quart
    quaver quay queen query quick quill quince quit quote rabbit raccoon radar radio raft railway
    rainbow raise ranch random range rapid rare rarity ratify rattle ravioli razor reach ready real
    reason rebirth rebuild recall recent recipe reckon reclaim record recruit rectify recycle redo
    reduce refill reflect reform refrain refund regale region regular rejoin release relief rely
    remark remedy remind remote rename renew rental repair repeat replace report request rescue
    reserve resign resolve respond restore result return reuse reverse review reward rhino rhubarb
    ribbon rich ridden rifle ring ripen ripple risk ritual roar robin rock rodeo roll romance roomy
    root rope rosary roster rosy rotate rough route royal rubbish ruby rule rumple runway rural
    rusty sacred safari safe saffron saga saint salary saliva salmon salt salute sandal sanity sank
    sari satisfy sauce sauna savory scale scan scarf scatter scene scheme school science scoop score
    scout scrap screen script scroll scythe seaman search seat second secret section secure sedan
    seesaw segment seldom select seminar senate senior sense sequel serene series sermon serum serve
    session settle severe shadow shaggy shallow shanty shape sharp shawl sheaf sheet shell sherbet
    shield shift shimmer shine shiver short shovel show shrewd shrink shrub shuffle side sierra
    siesta sieve sigma signal silent silicon silken silo silver similar simple sincere single siphon
    sister situate sixty sketch skill skin skirt skyline slab slacken sleep sleigh slice slight slip
    slope small smile smith smog smoke smooth snack snail snake snatch snooze snowy soak soapy
    social socket soda soft solar soldier solid solve sonata sonic sorbet soul source south space
    spaniel sparrow spatial special speech spend sphere spicy spider spike spinach spirit splint
    sponsor spoon spot spray spread sprig sprout square squeeze squid stable stain stalk stamp stand
    start state stay steal steeple step stereo sticky stir stock stomach stone storage straw stream
    strong stubby study stuff style subject submit subset suburb subway success sudden suffice sugar
    suggest suite summary sundry sunlit sunrise suntan support supreme surface surgery surname
    survey sustain swap swim swish switch swivel sword symbol syntax syrup system tabby tablet
    tackle taco tactic tailor talc talent tandem tape tapir target tartan task tassel taste tattoo
    tavern taxi teacup teapot teenage teeth tell tenant tend tennis tension term tether textual
    thatch theory thesis think third three thrive throw thrush thumb thyme tiara ticket tidal tilde
    timber time timid tinder tinkle tiny tiptoe title toast today toggle token tomato tomcat tongue
    tonight tonsil tooth topaz topic torque torrid total touch tourist trace traffic train transit
    travel tray tread treble trendy trial tribe trick trigger trilogy trinity trip triumph trivial
    trolley troop trophy trout trowel truant true truffle trumpet trunk trust truth tuba tuft tulip
    tummy tundra tune tunic tunnel turf turkey turnip turret turtle tutor tuxedo twang tweet twelve
    twenty twice twin twirl twist twitter tycoon typeset typical ultra unaware uncle unfold unfurl
    unhook uniform unique unison unite unknown unlock unpack unseen unusual unveil unwrap update
    upgrade upheld uphill upkeep uplift upload upright upset upside uptake uptown upturn upward
    urban urchin urgent usage useful usual utility utmost vacancy vacuum valet valid valley value
    vanish variety varsity vault vector vehicle veil velvet vendor veneer venture venue veranda
    verbal verdict verify version vessel vestige vibrate victory video view village vintage vinyl
    viola virtue visa visit visual vital voice voltage volume vortex vote vowel voyage waffle wagon
    waive wall walnut walrus waltz want warmth warn warrant wash watch watery wavy wealthy weasel
    week weight welcome welfare western whale wharf wheat wheel whistle white whiz wholly widen
    width wiggle wigwam wild window wine winter wisdom wisp witness wizard wolves woman wonder
    wooden wordy work world worship worthy wreath wren wrinkle wrist yacht yawn yeast yellow yodel
    yoga yogurt young zebra zero zinc zodiac zoology
    """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
