/// A small extract of the GeoNames gazetteer: what `atoll demo` shows and the query tests read.
///
/// Data: GeoNames (geonames.org), CC BY 4.0. Changed by us: a selection of rows and of alternate
/// names, otherwise as published.
///
/// Each text holds one JSON object a line, without a newline at its end: 7 continents,
/// 252 countries and 395 cities, together 139007 bytes.
///
/// A link is the primary key of its target (`code`, `iso`), and every link resolves inside the
/// extract. Rows are in the order of the source, which is not that of their keys.
///
/// Written by `extract.py`, beside the query fixtures; not edited by hand.
package enum DemoData {
  /// The 7 rows of `Continent`.
  package static let continents = #"""
    {"code":"AF","name":"Africa","population":1031833000,"latitude":7.1881,"longitude":21.09375}
    {"code":"AS","name":"Asia","population":3812366000,"latitude":29.84064,"longitude":89.29688}
    {"code":"EU","name":"Europe","population":741000000,"latitude":48.69096,"longitude":9.14062}
    {"code":"NA","name":"North America","population":580000000,"latitude":46.07323,"longitude":-100.54688}
    {"code":"OC","name":"Oceania","population":40000000,"latitude":-18.31281,"longitude":138.51562}
    {"code":"SA","name":"South America","population":385742554,"latitude":-14.60485,"longitude":-57.65625}
    {"code":"AN","name":"Antarctica","population":1100,"latitude":-78.15856,"longitude":16.40626}
    """#

  /// The 252 rows of `Country`.
  package static let countries = #"""
    {"iso":"AD","name":"Andorra","iso3":"AND","continent":"EU","capital":"Andorra la Vella","areaKm2":468.0,"population":77006,"currencyCode":"EUR","languages":["ca"],"neighbours":["ES","FR"]}
    {"iso":"AE","name":"United Arab Emirates","iso3":"ARE","continent":"AS","capital":"Abu Dhabi","areaKm2":82880.0,"population":9630959,"currencyCode":"AED","languages":["ar-AE","fa","en","hi","ur"],"neighbours":["SA","OM"]}
    {"iso":"AF","name":"Afghanistan","iso3":"AFG","continent":"AS","capital":"Kabul","areaKm2":647500.0,"population":37172386,"currencyCode":"AFN","languages":["fa-AF","ps","uz-AF","tk"],"neighbours":["TM","CN","IR","TJ","PK","UZ"]}
    {"iso":"AG","name":"Antigua and Barbuda","iso3":"ATG","continent":"NA","capital":"St. John's","areaKm2":443.0,"population":96286,"currencyCode":"XCD","languages":["en-AG"],"neighbours":[]}
    {"iso":"AI","name":"Anguilla","iso3":"AIA","continent":"NA","capital":"The Valley","areaKm2":102.0,"population":13254,"currencyCode":"XCD","languages":["en-AI"],"neighbours":[]}
    {"iso":"AL","name":"Albania","iso3":"ALB","continent":"EU","capital":"Tirana","areaKm2":28748.0,"population":2866376,"currencyCode":"ALL","languages":["sq","el"],"neighbours":["MK","GR","ME","RS","XK"]}
    {"iso":"AM","name":"Armenia","iso3":"ARM","continent":"AS","capital":"Yerevan","areaKm2":29800.0,"population":3090500,"currencyCode":"AMD","languages":["hy"],"neighbours":["GE","IR","AZ","TR"]}
    {"iso":"AO","name":"Angola","iso3":"AGO","continent":"AF","capital":"Luanda","areaKm2":1246700.0,"population":30809762,"currencyCode":"AOA","languages":["pt-AO"],"neighbours":["CD","NA","ZM","CG"]}
    {"iso":"AQ","name":"Antarctica","iso3":"ATA","continent":"AN","capital":null,"areaKm2":14000000.0,"population":0,"currencyCode":null,"languages":[],"neighbours":[]}
    {"iso":"AR","name":"Argentina","iso3":"ARG","continent":"SA","capital":"Buenos Aires","areaKm2":2766890.0,"population":44494502,"currencyCode":"ARS","languages":["es-AR","en","it","de","fr","gn"],"neighbours":["CL","BO","UY","PY","BR"]}
    {"iso":"AS","name":"American Samoa","iso3":"ASM","continent":"OC","capital":"Pago Pago","areaKm2":199.0,"population":55465,"currencyCode":"USD","languages":["en-AS","sm","to"],"neighbours":[]}
    {"iso":"AT","name":"Austria","iso3":"AUT","continent":"EU","capital":"Vienna","areaKm2":83858.0,"population":8847037,"currencyCode":"EUR","languages":["de-AT","hr","hu","sl"],"neighbours":["CH","DE","HU","SK","CZ","IT","SI","LI"]}
    {"iso":"AU","name":"Australia","iso3":"AUS","continent":"OC","capital":"Canberra","areaKm2":7686850.0,"population":24992369,"currencyCode":"AUD","languages":["en-AU"],"neighbours":[]}
    {"iso":"AW","name":"Aruba","iso3":"ABW","continent":"NA","capital":"Oranjestad","areaKm2":193.0,"population":105845,"currencyCode":"AWG","languages":["nl-AW","pap","es","en"],"neighbours":[]}
    {"iso":"AX","name":"Aland Islands","iso3":"ALA","continent":"EU","capital":"Mariehamn","areaKm2":1580.0,"population":26711,"currencyCode":"EUR","languages":["sv-AX"],"neighbours":[]}
    {"iso":"AZ","name":"Azerbaijan","iso3":"AZE","continent":"AS","capital":"Baku","areaKm2":86600.0,"population":10224900,"currencyCode":"AZN","languages":["az","ru","hy"],"neighbours":["GE","IR","AM","TR","RU"]}
    {"iso":"BA","name":"Bosnia and Herzegovina","iso3":"BIH","continent":"EU","capital":"Sarajevo","areaKm2":51129.0,"population":3323929,"currencyCode":"BAM","languages":["bs","hr-BA","sr-BA"],"neighbours":["HR","ME","RS"]}
    {"iso":"BB","name":"Barbados","iso3":"BRB","continent":"NA","capital":"Bridgetown","areaKm2":431.0,"population":286641,"currencyCode":"BBD","languages":["en-BB"],"neighbours":[]}
    {"iso":"BD","name":"Bangladesh","iso3":"BGD","continent":"AS","capital":"Dhaka","areaKm2":144000.0,"population":161356039,"currencyCode":"BDT","languages":["bn-BD","en"],"neighbours":["MM","IN"]}
    {"iso":"BE","name":"Belgium","iso3":"BEL","continent":"EU","capital":"Brussels","areaKm2":30510.0,"population":11422068,"currencyCode":"EUR","languages":["nl-BE","fr-BE","de-BE"],"neighbours":["DE","NL","LU","FR"]}
    {"iso":"BF","name":"Burkina Faso","iso3":"BFA","continent":"AF","capital":"Ouagadougou","areaKm2":274200.0,"population":19751535,"currencyCode":"XOF","languages":["fr-BF","mos"],"neighbours":["NE","BJ","GH","CI","TG","ML"]}
    {"iso":"BG","name":"Bulgaria","iso3":"BGR","continent":"EU","capital":"Sofia","areaKm2":110910.0,"population":7000039,"currencyCode":"BGN","languages":["bg","tr-BG","rom"],"neighbours":["MK","GR","RO","TR","RS"]}
    {"iso":"BH","name":"Bahrain","iso3":"BHR","continent":"AS","capital":"Manama","areaKm2":665.0,"population":1569439,"currencyCode":"BHD","languages":["ar-BH","en","fa","ur"],"neighbours":[]}
    {"iso":"BI","name":"Burundi","iso3":"BDI","continent":"AF","capital":"Gitega","areaKm2":27830.0,"population":11175378,"currencyCode":"BIF","languages":["fr-BI","rn"],"neighbours":["TZ","CD","RW"]}
    {"iso":"BJ","name":"Benin","iso3":"BEN","continent":"AF","capital":"Porto-Novo","areaKm2":112620.0,"population":11485048,"currencyCode":"XOF","languages":["fr-BJ"],"neighbours":["NE","TG","BF","NG"]}
    {"iso":"BL","name":"Saint Barthelemy","iso3":"BLM","continent":"NA","capital":"Gustavia","areaKm2":21.0,"population":8450,"currencyCode":"EUR","languages":["fr"],"neighbours":[]}
    {"iso":"BM","name":"Bermuda","iso3":"BMU","continent":"NA","capital":"Hamilton","areaKm2":53.0,"population":63968,"currencyCode":"BMD","languages":["en-BM","pt"],"neighbours":[]}
    {"iso":"BN","name":"Brunei","iso3":"BRN","continent":"AS","capital":"Bandar Seri Begawan","areaKm2":5770.0,"population":428962,"currencyCode":"BND","languages":["ms-BN","en-BN"],"neighbours":["MY"]}
    {"iso":"BO","name":"Bolivia","iso3":"BOL","continent":"SA","capital":"Sucre","areaKm2":1098580.0,"population":11353142,"currencyCode":"BOB","languages":["es-BO","qu","ay"],"neighbours":["PE","CL","PY","BR","AR"]}
    {"iso":"BQ","name":"Bonaire, Saint Eustatius and Saba ","iso3":"BES","continent":"NA","capital":null,"areaKm2":328.0,"population":18012,"currencyCode":"USD","languages":["nl","pap","en"],"neighbours":[]}
    {"iso":"BR","name":"Brazil","iso3":"BRA","continent":"SA","capital":"Brasilia","areaKm2":8511965.0,"population":209469333,"currencyCode":"BRL","languages":["pt-BR","es","en","fr"],"neighbours":["SR","PE","BO","UY","GY","PY","GF","VE","CO","AR"]}
    {"iso":"BS","name":"Bahamas","iso3":"BHS","continent":"NA","capital":"Nassau","areaKm2":13940.0,"population":385640,"currencyCode":"BSD","languages":["en-BS"],"neighbours":[]}
    {"iso":"BT","name":"Bhutan","iso3":"BTN","continent":"AS","capital":"Thimphu","areaKm2":47000.0,"population":754394,"currencyCode":"BTN","languages":["dz"],"neighbours":["CN","IN"]}
    {"iso":"BV","name":"Bouvet Island","iso3":"BVT","continent":"AN","capital":null,"areaKm2":49.0,"population":0,"currencyCode":"NOK","languages":[],"neighbours":[]}
    {"iso":"BW","name":"Botswana","iso3":"BWA","continent":"AF","capital":"Gaborone","areaKm2":600370.0,"population":2254126,"currencyCode":"BWP","languages":["en-BW","tn-BW"],"neighbours":["ZW","ZA","NA"]}
    {"iso":"BY","name":"Belarus","iso3":"BLR","continent":"EU","capital":"Minsk","areaKm2":207600.0,"population":9485386,"currencyCode":"BYN","languages":["be","ru"],"neighbours":["PL","LT","UA","RU","LV"]}
    {"iso":"BZ","name":"Belize","iso3":"BLZ","continent":"NA","capital":"Belmopan","areaKm2":22966.0,"population":383071,"currencyCode":"BZD","languages":["en-BZ","es"],"neighbours":["GT","MX"]}
    {"iso":"CA","name":"Canada","iso3":"CAN","continent":"NA","capital":"Ottawa","areaKm2":9984670.0,"population":37058856,"currencyCode":"CAD","languages":["en-CA","fr-CA","iu"],"neighbours":["US"]}
    {"iso":"CC","name":"Cocos Islands","iso3":"CCK","continent":"AS","capital":"West Island","areaKm2":14.0,"population":628,"currencyCode":"AUD","languages":["ms-CC","en"],"neighbours":[]}
    {"iso":"CD","name":"Democratic Republic of the Congo","iso3":"COD","continent":"AF","capital":"Kinshasa","areaKm2":2345410.0,"population":84068091,"currencyCode":"CDF","languages":["fr-CD","ln","ktu","kg","sw","lua"],"neighbours":["TZ","CF","SS","RW","ZM","BI","UG","CG","AO"]}
    {"iso":"CF","name":"Central African Republic","iso3":"CAF","continent":"AF","capital":"Bangui","areaKm2":622984.0,"population":4666377,"currencyCode":"XAF","languages":["fr-CF","sg","ln","kg"],"neighbours":["TD","SD","CD","SS","CM","CG"]}
    {"iso":"CG","name":"Republic of the Congo","iso3":"COG","continent":"AF","capital":"Brazzaville","areaKm2":342000.0,"population":5244363,"currencyCode":"XAF","languages":["fr-CG","kg","ln-CG"],"neighbours":["CF","GA","CD","CM","AO"]}
    {"iso":"CH","name":"Switzerland","iso3":"CHE","continent":"EU","capital":"Bern","areaKm2":41290.0,"population":8516543,"currencyCode":"CHF","languages":["de-CH","fr-CH","it-CH","rm"],"neighbours":["DE","IT","LI","FR","AT"]}
    {"iso":"CI","name":"Ivory Coast","iso3":"CIV","continent":"AF","capital":"Yamoussoukro","areaKm2":322460.0,"population":25069229,"currencyCode":"XOF","languages":["fr-CI"],"neighbours":["LR","GH","GN","BF","ML"]}
    {"iso":"CK","name":"Cook Islands","iso3":"COK","continent":"OC","capital":"Avarua","areaKm2":240.0,"population":21388,"currencyCode":"NZD","languages":["en-CK","mi"],"neighbours":[]}
    {"iso":"CL","name":"Chile","iso3":"CHL","continent":"SA","capital":"Santiago","areaKm2":756950.0,"population":18729160,"currencyCode":"CLP","languages":["es-CL"],"neighbours":["PE","BO","AR"]}
    {"iso":"CM","name":"Cameroon","iso3":"CMR","continent":"AF","capital":"Yaounde","areaKm2":475440.0,"population":25216237,"currencyCode":"XAF","languages":["en-CM","fr-CM"],"neighbours":["TD","CF","GA","GQ","CG","NG"]}
    {"iso":"CN","name":"China","iso3":"CHN","continent":"AS","capital":"Beijing","areaKm2":9596960.0,"population":1411778724,"currencyCode":"CNY","languages":["zh-CN","yue","wuu","dta","ug","za"],"neighbours":["LA","BT","TJ","KZ","MN","AF","NP","MM","KG","PK","KP","RU","VN","IN"]}
    {"iso":"CO","name":"Colombia","iso3":"COL","continent":"SA","capital":"Bogota","areaKm2":1138910.0,"population":49648685,"currencyCode":"COP","languages":["es-CO"],"neighbours":["EC","PE","PA","BR","VE"]}
    {"iso":"CR","name":"Costa Rica","iso3":"CRI","continent":"NA","capital":"San Jose","areaKm2":51100.0,"population":4999441,"currencyCode":"CRC","languages":["es-CR","en"],"neighbours":["PA","NI"]}
    {"iso":"CU","name":"Cuba","iso3":"CUB","continent":"NA","capital":"Havana","areaKm2":110860.0,"population":11338138,"currencyCode":"CUP","languages":["es-CU","pap"],"neighbours":["US"]}
    {"iso":"CV","name":"Cabo Verde","iso3":"CPV","continent":"AF","capital":"Praia","areaKm2":4033.0,"population":543767,"currencyCode":"CVE","languages":["pt-CV"],"neighbours":[]}
    {"iso":"CW","name":"Curacao","iso3":"CUW","continent":"NA","capital":" Willemstad","areaKm2":444.0,"population":159849,"currencyCode":"XCG","languages":["nl","pap"],"neighbours":[]}
    {"iso":"CX","name":"Christmas Island","iso3":"CXR","continent":"OC","capital":"Flying Fish Cove","areaKm2":135.0,"population":1500,"currencyCode":"AUD","languages":["en","zh","ms-CX"],"neighbours":[]}
    {"iso":"CY","name":"Cyprus","iso3":"CYP","continent":"EU","capital":"Nicosia","areaKm2":9250.0,"population":1189265,"currencyCode":"EUR","languages":["el-CY","tr-CY","en"],"neighbours":[]}
    {"iso":"CZ","name":"Czechia","iso3":"CZE","continent":"EU","capital":"Prague","areaKm2":78866.0,"population":10625695,"currencyCode":"CZK","languages":["cs","sk"],"neighbours":["PL","DE","SK","AT"]}
    {"iso":"DE","name":"Germany","iso3":"DEU","continent":"EU","capital":"Berlin","areaKm2":357021.0,"population":82927922,"currencyCode":"EUR","languages":["de"],"neighbours":["CH","PL","NL","DK","BE","CZ","LU","FR","AT"]}
    {"iso":"DJ","name":"Djibouti","iso3":"DJI","continent":"AF","capital":"Djibouti","areaKm2":23000.0,"population":958920,"currencyCode":"DJF","languages":["fr-DJ","ar","so-DJ","aa"],"neighbours":["ER","ET","SO"]}
    {"iso":"DK","name":"Denmark","iso3":"DNK","continent":"EU","capital":"Copenhagen","areaKm2":43094.0,"population":5797446,"currencyCode":"DKK","languages":["da-DK","en","fo","de-DK"],"neighbours":["DE"]}
    {"iso":"DM","name":"Dominica","iso3":"DMA","continent":"NA","capital":"Roseau","areaKm2":754.0,"population":71625,"currencyCode":"XCD","languages":["en-DM"],"neighbours":[]}
    {"iso":"DO","name":"Dominican Republic","iso3":"DOM","continent":"NA","capital":"Santo Domingo","areaKm2":48730.0,"population":10627165,"currencyCode":"DOP","languages":["es-DO"],"neighbours":["HT"]}
    {"iso":"DZ","name":"Algeria","iso3":"DZA","continent":"AF","capital":"Algiers","areaKm2":2381740.0,"population":42228429,"currencyCode":"DZD","languages":["ar-DZ"],"neighbours":["NE","EH","LY","MR","TN","MA","ML"]}
    {"iso":"EC","name":"Ecuador","iso3":"ECU","continent":"SA","capital":"Quito","areaKm2":283560.0,"population":17084357,"currencyCode":"USD","languages":["es-EC"],"neighbours":["PE","CO"]}
    {"iso":"EE","name":"Estonia","iso3":"EST","continent":"EU","capital":"Tallinn","areaKm2":45226.0,"population":1320884,"currencyCode":"EUR","languages":["et","ru"],"neighbours":["RU","LV"]}
    {"iso":"EG","name":"Egypt","iso3":"EGY","continent":"AF","capital":"Cairo","areaKm2":1001450.0,"population":98423595,"currencyCode":"EGP","languages":["ar-EG","en","fr"],"neighbours":["LY","SD","IL","PS"]}
    {"iso":"EH","name":"Western Sahara","iso3":"ESH","continent":"AF","capital":"El-Aaiun","areaKm2":266000.0,"population":273008,"currencyCode":"MAD","languages":["ar","mey"],"neighbours":["DZ","MR","MA"]}
    {"iso":"ER","name":"Eritrea","iso3":"ERI","continent":"AF","capital":"Asmara","areaKm2":121320.0,"population":6209262,"currencyCode":"ERN","languages":["aa-ER","ar","tig","kun","ti-ER"],"neighbours":["ET","SD","DJ"]}
    {"iso":"ES","name":"Spain","iso3":"ESP","continent":"EU","capital":"Madrid","areaKm2":504782.0,"population":46723749,"currencyCode":"EUR","languages":["es-ES","ca","gl","eu","oc"],"neighbours":["AD","PT","GI","FR","MA"]}
    {"iso":"ET","name":"Ethiopia","iso3":"ETH","continent":"AF","capital":"Addis Ababa","areaKm2":1127127.0,"population":109224559,"currencyCode":"ETB","languages":["am","en-ET","om-ET","ti-ET","so-ET","sid"],"neighbours":["ER","KE","SD","SS","SO","DJ"]}
    {"iso":"FI","name":"Finland","iso3":"FIN","continent":"EU","capital":"Helsinki","areaKm2":337030.0,"population":5518050,"currencyCode":"EUR","languages":["fi-FI","sv-FI","smn"],"neighbours":["NO","RU","SE"]}
    {"iso":"FJ","name":"Fiji","iso3":"FJI","continent":"OC","capital":"Suva","areaKm2":18270.0,"population":883483,"currencyCode":"FJD","languages":["en-FJ","fj"],"neighbours":[]}
    {"iso":"FK","name":"Falkland Islands","iso3":"FLK","continent":"SA","capital":"Stanley","areaKm2":12173.0,"population":2638,"currencyCode":"FKP","languages":["en-FK"],"neighbours":[]}
    {"iso":"FM","name":"Micronesia","iso3":"FSM","continent":"OC","capital":"Palikir","areaKm2":702.0,"population":112640,"currencyCode":"USD","languages":["en-FM","chk","pon","yap","kos","uli","woe","nkr","kpg"],"neighbours":[]}
    {"iso":"FO","name":"Faroe Islands","iso3":"FRO","continent":"EU","capital":"Torshavn","areaKm2":1399.0,"population":48497,"currencyCode":"DKK","languages":["fo","da-FO"],"neighbours":[]}
    {"iso":"FR","name":"France","iso3":"FRA","continent":"EU","capital":"Paris","areaKm2":547030.0,"population":66987244,"currencyCode":"EUR","languages":["fr-FR","frp","br","co","ca","eu","oc"],"neighbours":["CH","DE","BE","LU","IT","AD","MC","ES"]}
    {"iso":"GA","name":"Gabon","iso3":"GAB","continent":"AF","capital":"Libreville","areaKm2":267667.0,"population":2119275,"currencyCode":"XAF","languages":["fr-GA"],"neighbours":["CM","GQ","CG"]}
    {"iso":"GB","name":"United Kingdom","iso3":"GBR","continent":"EU","capital":"London","areaKm2":244820.0,"population":66488991,"currencyCode":"GBP","languages":["en-GB","cy-GB","gd"],"neighbours":["IE"]}
    {"iso":"GD","name":"Grenada","iso3":"GRD","continent":"NA","capital":"St. George's","areaKm2":344.0,"population":111454,"currencyCode":"XCD","languages":["en-GD"],"neighbours":[]}
    {"iso":"GE","name":"Georgia","iso3":"GEO","continent":"AS","capital":"Tbilisi","areaKm2":69700.0,"population":3704500,"currencyCode":"GEL","languages":["ka","ru","hy","az"],"neighbours":["AM","AZ","TR","RU"]}
    {"iso":"GF","name":"French Guiana","iso3":"GUF","continent":"SA","capital":"Cayenne","areaKm2":91000.0,"population":195506,"currencyCode":"EUR","languages":["fr-GF"],"neighbours":["SR","BR"]}
    {"iso":"GG","name":"Guernsey","iso3":"GGY","continent":"EU","capital":"St Peter Port","areaKm2":78.0,"population":65228,"currencyCode":"GBP","languages":["en","nrf"],"neighbours":[]}
    {"iso":"GH","name":"Ghana","iso3":"GHA","continent":"AF","capital":"Accra","areaKm2":239460.0,"population":29767108,"currencyCode":"GHS","languages":["en-GH","ak","ee","tw"],"neighbours":["CI","TG","BF"]}
    {"iso":"GI","name":"Gibraltar","iso3":"GIB","continent":"EU","capital":"Gibraltar","areaKm2":6.0,"population":33718,"currencyCode":"GIP","languages":["en-GI","es","it","pt"],"neighbours":["ES"]}
    {"iso":"GL","name":"Greenland","iso3":"GRL","continent":"NA","capital":"Nuuk","areaKm2":2166086.0,"population":56025,"currencyCode":"DKK","languages":["kl","da-GL","en"],"neighbours":[]}
    {"iso":"GM","name":"Gambia","iso3":"GMB","continent":"AF","capital":"Banjul","areaKm2":11300.0,"population":2280102,"currencyCode":"GMD","languages":["en-GM","mnk","wof","wo","ff"],"neighbours":["SN"]}
    {"iso":"GN","name":"Guinea","iso3":"GIN","continent":"AF","capital":"Conakry","areaKm2":245857.0,"population":12414318,"currencyCode":"GNF","languages":["fr-GN"],"neighbours":["LR","SN","SL","CI","GW","ML"]}
    {"iso":"GP","name":"Guadeloupe","iso3":"GLP","continent":"NA","capital":"Basse-Terre","areaKm2":1780.0,"population":443000,"currencyCode":"EUR","languages":["fr-GP"],"neighbours":[]}
    {"iso":"GQ","name":"Equatorial Guinea","iso3":"GNQ","continent":"AF","capital":"Ciudad de la Paz","areaKm2":28051.0,"population":1308974,"currencyCode":"XAF","languages":["es-GQ","fr","pt"],"neighbours":["GA","CM"]}
    {"iso":"GR","name":"Greece","iso3":"GRC","continent":"EU","capital":"Athens","areaKm2":131940.0,"population":10727668,"currencyCode":"EUR","languages":["el-GR","en","fr"],"neighbours":["AL","MK","TR","BG"]}
    {"iso":"GS","name":"South Georgia and the South Sandwich Islands","iso3":"SGS","continent":"AN","capital":"Grytviken","areaKm2":3903.0,"population":30,"currencyCode":"GBP","languages":["en"],"neighbours":[]}
    {"iso":"GT","name":"Guatemala","iso3":"GTM","continent":"NA","capital":"Guatemala City","areaKm2":108890.0,"population":17247807,"currencyCode":"GTQ","languages":["es-GT"],"neighbours":["MX","HN","BZ","SV"]}
    {"iso":"GU","name":"Guam","iso3":"GUM","continent":"OC","capital":"Hagatna","areaKm2":549.0,"population":165768,"currencyCode":"USD","languages":["en-GU","ch-GU"],"neighbours":[]}
    {"iso":"GW","name":"Guinea-Bissau","iso3":"GNB","continent":"AF","capital":"Bissau","areaKm2":36120.0,"population":1874309,"currencyCode":"XOF","languages":["pt-GW","pov"],"neighbours":["SN","GN"]}
    {"iso":"GY","name":"Guyana","iso3":"GUY","continent":"SA","capital":"Georgetown","areaKm2":214970.0,"population":779004,"currencyCode":"GYD","languages":["en-GY"],"neighbours":["SR","BR","VE"]}
    {"iso":"HK","name":"Hong Kong","iso3":"HKG","continent":"AS","capital":"Hong Kong","areaKm2":1092.0,"population":7396076,"currencyCode":"HKD","languages":["zh-HK","yue","zh","en"],"neighbours":[]}
    {"iso":"HM","name":"Heard Island and McDonald Islands","iso3":"HMD","continent":"AN","capital":null,"areaKm2":412.0,"population":0,"currencyCode":"AUD","languages":[],"neighbours":[]}
    {"iso":"HN","name":"Honduras","iso3":"HND","continent":"NA","capital":"Tegucigalpa","areaKm2":112090.0,"population":9587522,"currencyCode":"HNL","languages":["es-HN","cab","miq"],"neighbours":["GT","NI","SV"]}
    {"iso":"HR","name":"Croatia","iso3":"HRV","continent":"EU","capital":"Zagreb","areaKm2":56542.0,"population":3871833,"currencyCode":"EUR","languages":["hr-HR","sr"],"neighbours":["HU","SI","BA","ME","RS"]}
    {"iso":"HT","name":"Haiti","iso3":"HTI","continent":"NA","capital":"Port-au-Prince","areaKm2":27750.0,"population":11123176,"currencyCode":"HTG","languages":["ht","fr-HT"],"neighbours":["DO"]}
    {"iso":"HU","name":"Hungary","iso3":"HUN","continent":"EU","capital":"Budapest","areaKm2":93030.0,"population":9768785,"currencyCode":"HUF","languages":["hu-HU"],"neighbours":["SK","SI","RO","UA","HR","AT","RS"]}
    {"iso":"ID","name":"Indonesia","iso3":"IDN","continent":"AS","capital":"Jakarta","areaKm2":1919440.0,"population":267663435,"currencyCode":"IDR","languages":["id","en","nl","jv"],"neighbours":["PG","TL","MY"]}
    {"iso":"IE","name":"Ireland","iso3":"IRL","continent":"EU","capital":"Dublin","areaKm2":70280.0,"population":4853506,"currencyCode":"EUR","languages":["en-IE","ga-IE"],"neighbours":["GB"]}
    {"iso":"IL","name":"Israel","iso3":"ISR","continent":"AS","capital":"Jerusalem","areaKm2":20770.0,"population":8883800,"currencyCode":"ILS","languages":["he","ar-IL","en-IL"],"neighbours":["SY","JO","LB","EG","PS"]}
    {"iso":"IM","name":"Isle of Man","iso3":"IMN","continent":"EU","capital":"Douglas","areaKm2":572.0,"population":84077,"currencyCode":"GBP","languages":["en","gv"],"neighbours":[]}
    {"iso":"IN","name":"India","iso3":"IND","continent":"AS","capital":"New Delhi","areaKm2":3287590.0,"population":1352617328,"currencyCode":"INR","languages":["en-IN","hi","bn","te","mr","ta","ur","gu","kn","ml","or","pa","as","bh","sat","ks","ne","sd","kok","doi","mni","sit","sa","fr","lus","inc"],"neighbours":["CN","NP","MM","BT","PK","BD"]}
    {"iso":"IO","name":"British Indian Ocean Territory","iso3":"IOT","continent":"AS","capital":"Diego Garcia","areaKm2":60.0,"population":4000,"currencyCode":"USD","languages":["en-IO"],"neighbours":[]}
    {"iso":"IQ","name":"Iraq","iso3":"IRQ","continent":"AS","capital":"Baghdad","areaKm2":437072.0,"population":38433600,"currencyCode":"IQD","languages":["ar-IQ","ku","hy"],"neighbours":["SY","SA","IR","JO","TR","KW"]}
    {"iso":"IR","name":"Iran","iso3":"IRN","continent":"AS","capital":"Tehran","areaKm2":1648000.0,"population":81800269,"currencyCode":"IRR","languages":["fa-IR","ku"],"neighbours":["TM","AF","IQ","AM","PK","AZ","TR"]}
    {"iso":"IS","name":"Iceland","iso3":"ISL","continent":"EU","capital":"Reykjavik","areaKm2":103000.0,"population":353574,"currencyCode":"ISK","languages":["is","en","de","da","sv","no"],"neighbours":[]}
    {"iso":"IT","name":"Italy","iso3":"ITA","continent":"EU","capital":"Rome","areaKm2":301230.0,"population":60431283,"currencyCode":"EUR","languages":["it-IT","de-IT","fr-IT","sc","ca","co","sl"],"neighbours":["CH","VA","SI","SM","FR","AT"]}
    {"iso":"JE","name":"Jersey","iso3":"JEY","continent":"EU","capital":"Saint Helier","areaKm2":116.0,"population":90812,"currencyCode":"GBP","languages":["en","fr","nrf"],"neighbours":[]}
    {"iso":"JM","name":"Jamaica","iso3":"JAM","continent":"NA","capital":"Kingston","areaKm2":10991.0,"population":2934855,"currencyCode":"JMD","languages":["en-JM"],"neighbours":[]}
    {"iso":"JO","name":"Jordan","iso3":"JOR","continent":"AS","capital":"Amman","areaKm2":92300.0,"population":9956011,"currencyCode":"JOD","languages":["ar-JO","en"],"neighbours":["SY","SA","IQ","IL","PS"]}
    {"iso":"JP","name":"Japan","iso3":"JPN","continent":"AS","capital":"Tokyo","areaKm2":377835.0,"population":126529100,"currencyCode":"JPY","languages":["ja"],"neighbours":[]}
    {"iso":"KE","name":"Kenya","iso3":"KEN","continent":"AF","capital":"Nairobi","areaKm2":582650.0,"population":51393010,"currencyCode":"KES","languages":["en-KE","sw-KE"],"neighbours":["ET","TZ","SS","SO","UG"]}
    {"iso":"KG","name":"Kyrgyzstan","iso3":"KGZ","continent":"AS","capital":"Bishkek","areaKm2":198500.0,"population":6315800,"currencyCode":"KGS","languages":["ky","uz","ru"],"neighbours":["CN","TJ","UZ","KZ"]}
    {"iso":"KH","name":"Cambodia","iso3":"KHM","continent":"AS","capital":"Phnom Penh","areaKm2":181040.0,"population":16249798,"currencyCode":"KHR","languages":["km","fr","en"],"neighbours":["LA","TH","VN"]}
    {"iso":"KI","name":"Kiribati","iso3":"KIR","continent":"OC","capital":"Tarawa","areaKm2":811.0,"population":115847,"currencyCode":"AUD","languages":["en-KI","gil"],"neighbours":[]}
    {"iso":"KM","name":"Comoros","iso3":"COM","continent":"AF","capital":"Moroni","areaKm2":2170.0,"population":832322,"currencyCode":"KMF","languages":["ar","fr-KM"],"neighbours":[]}
    {"iso":"KN","name":"Saint Kitts and Nevis","iso3":"KNA","continent":"NA","capital":"Basseterre","areaKm2":261.0,"population":52441,"currencyCode":"XCD","languages":["en-KN"],"neighbours":[]}
    {"iso":"KP","name":"North Korea","iso3":"PRK","continent":"AS","capital":"Pyongyang","areaKm2":120540.0,"population":25549819,"currencyCode":"KPW","languages":["ko-KP"],"neighbours":["CN","KR","RU"]}
    {"iso":"KR","name":"South Korea","iso3":"KOR","continent":"AS","capital":"Seoul","areaKm2":98480.0,"population":51635256,"currencyCode":"KRW","languages":["ko-KR","en"],"neighbours":["KP"]}
    {"iso":"XK","name":"Kosovo","iso3":"XKX","continent":"EU","capital":"Pristina","areaKm2":10908.0,"population":1845300,"currencyCode":"EUR","languages":["sq","sr"],"neighbours":["RS","AL","MK","ME"]}
    {"iso":"KW","name":"Kuwait","iso3":"KWT","continent":"AS","capital":"Kuwait City","areaKm2":17820.0,"population":4137309,"currencyCode":"KWD","languages":["ar-KW","en"],"neighbours":["SA","IQ"]}
    {"iso":"KY","name":"Cayman Islands","iso3":"CYM","continent":"NA","capital":"George Town","areaKm2":262.0,"population":64174,"currencyCode":"KYD","languages":["en-KY"],"neighbours":[]}
    {"iso":"KZ","name":"Kazakhstan","iso3":"KAZ","continent":"AS","capital":"Nur-Sultan","areaKm2":2717300.0,"population":18276499,"currencyCode":"KZT","languages":["kk","ru"],"neighbours":["TM","CN","KG","UZ","RU"]}
    {"iso":"LA","name":"Laos","iso3":"LAO","continent":"AS","capital":"Vientiane","areaKm2":236800.0,"population":7061507,"currencyCode":"LAK","languages":["lo","fr","en"],"neighbours":["CN","MM","KH","TH","VN"]}
    {"iso":"LB","name":"Lebanon","iso3":"LBN","continent":"AS","capital":"Beirut","areaKm2":10400.0,"population":6848925,"currencyCode":"LBP","languages":["ar-LB","fr-LB","en","hy"],"neighbours":["SY","IL"]}
    {"iso":"LC","name":"Saint Lucia","iso3":"LCA","continent":"NA","capital":"Castries","areaKm2":616.0,"population":181889,"currencyCode":"XCD","languages":["en-LC"],"neighbours":[]}
    {"iso":"LI","name":"Liechtenstein","iso3":"LIE","continent":"EU","capital":"Vaduz","areaKm2":160.0,"population":37910,"currencyCode":"CHF","languages":["de-LI"],"neighbours":["CH","AT"]}
    {"iso":"LK","name":"Sri Lanka","iso3":"LKA","continent":"AS","capital":"Colombo","areaKm2":65610.0,"population":21670000,"currencyCode":"LKR","languages":["si","ta","en"],"neighbours":[]}
    {"iso":"LR","name":"Liberia","iso3":"LBR","continent":"AF","capital":"Monrovia","areaKm2":111370.0,"population":4818977,"currencyCode":"LRD","languages":["en-LR"],"neighbours":["SL","CI","GN"]}
    {"iso":"LS","name":"Lesotho","iso3":"LSO","continent":"AF","capital":"Maseru","areaKm2":30355.0,"population":2108132,"currencyCode":"LSL","languages":["en-LS","st","zu","xh"],"neighbours":["ZA"]}
    {"iso":"LT","name":"Lithuania","iso3":"LTU","continent":"EU","capital":"Vilnius","areaKm2":65200.0,"population":2789533,"currencyCode":"EUR","languages":["lt","ru","pl"],"neighbours":["PL","BY","RU","LV"]}
    {"iso":"LU","name":"Luxembourg","iso3":"LUX","continent":"EU","capital":"Luxembourg","areaKm2":2586.0,"population":607728,"currencyCode":"EUR","languages":["lb","de-LU","fr-LU"],"neighbours":["DE","BE","FR"]}
    {"iso":"LV","name":"Latvia","iso3":"LVA","continent":"EU","capital":"Riga","areaKm2":64589.0,"population":1926542,"currencyCode":"EUR","languages":["lv","ru","lt"],"neighbours":["LT","EE","BY","RU"]}
    {"iso":"LY","name":"Libya","iso3":"LBY","continent":"AF","capital":"Tripoli","areaKm2":1759540.0,"population":6678567,"currencyCode":"LYD","languages":["ar-LY","it","en"],"neighbours":["TD","NE","DZ","SD","TN","EG"]}
    {"iso":"MA","name":"Morocco","iso3":"MAR","continent":"AF","capital":"Rabat","areaKm2":446550.0,"population":36029138,"currencyCode":"MAD","languages":["ar-MA","ber","fr"],"neighbours":["DZ","EH","ES"]}
    {"iso":"MC","name":"Monaco","iso3":"MCO","continent":"EU","capital":"Monaco","areaKm2":1.0,"population":38682,"currencyCode":"EUR","languages":["fr-MC","en","it"],"neighbours":["FR"]}
    {"iso":"MD","name":"Moldova","iso3":"MDA","continent":"EU","capital":"Chisinau","areaKm2":33843.0,"population":3545883,"currencyCode":"MDL","languages":["ro","ru","gag","tr"],"neighbours":["RO","UA"]}
    {"iso":"ME","name":"Montenegro","iso3":"MNE","continent":"EU","capital":"Podgorica","areaKm2":14026.0,"population":622345,"currencyCode":"EUR","languages":["sr","hu","bs","sq","hr","rom"],"neighbours":["AL","HR","BA","RS","XK"]}
    {"iso":"MF","name":"Saint Martin","iso3":"MAF","continent":"NA","capital":"Marigot","areaKm2":53.0,"population":37264,"currencyCode":"EUR","languages":["fr"],"neighbours":["SX"]}
    {"iso":"MG","name":"Madagascar","iso3":"MDG","continent":"AF","capital":"Antananarivo","areaKm2":587040.0,"population":26262368,"currencyCode":"MGA","languages":["fr-MG","mg"],"neighbours":[]}
    {"iso":"MH","name":"Marshall Islands","iso3":"MHL","continent":"OC","capital":"Majuro","areaKm2":181.0,"population":58413,"currencyCode":"USD","languages":["mh","en-MH"],"neighbours":[]}
    {"iso":"MK","name":"North Macedonia","iso3":"MKD","continent":"EU","capital":"Skopje","areaKm2":25333.0,"population":2082958,"currencyCode":"MKD","languages":["mk","sq","tr","rmm","sr"],"neighbours":["AL","GR","BG","RS","XK"]}
    {"iso":"ML","name":"Mali","iso3":"MLI","continent":"AF","capital":"Bamako","areaKm2":1240000.0,"population":19077690,"currencyCode":"XOF","languages":["fr-ML","bm"],"neighbours":["SN","NE","DZ","CI","GN","MR","BF"]}
    {"iso":"MM","name":"Myanmar","iso3":"MMR","continent":"AS","capital":"Nay Pyi Taw","areaKm2":678500.0,"population":53708395,"currencyCode":"MMK","languages":["my"],"neighbours":["CN","LA","TH","BD","IN"]}
    {"iso":"MN","name":"Mongolia","iso3":"MNG","continent":"AS","capital":"Ulaanbaatar","areaKm2":1565000.0,"population":3170208,"currencyCode":"MNT","languages":["mn","ru"],"neighbours":["CN","RU"]}
    {"iso":"MO","name":"Macao","iso3":"MAC","continent":"AS","capital":"Macao","areaKm2":254.0,"population":631636,"currencyCode":"MOP","languages":["zh","zh-MO","pt"],"neighbours":[]}
    {"iso":"MP","name":"Northern Mariana Islands","iso3":"MNP","continent":"OC","capital":"Saipan","areaKm2":477.0,"population":56882,"currencyCode":"USD","languages":["fil","tl","zh","ch-MP","en-MP"],"neighbours":[]}
    {"iso":"MQ","name":"Martinique","iso3":"MTQ","continent":"NA","capital":"Fort-de-France","areaKm2":1100.0,"population":432900,"currencyCode":"EUR","languages":["fr-MQ"],"neighbours":[]}
    {"iso":"MR","name":"Mauritania","iso3":"MRT","continent":"AF","capital":"Nouakchott","areaKm2":1030700.0,"population":4403319,"currencyCode":"MRU","languages":["ar-MR","fuc","snk","fr","mey","wo"],"neighbours":["SN","DZ","EH","ML"]}
    {"iso":"MS","name":"Montserrat","iso3":"MSR","continent":"NA","capital":"Plymouth","areaKm2":102.0,"population":9341,"currencyCode":"XCD","languages":["en-MS"],"neighbours":[]}
    {"iso":"MT","name":"Malta","iso3":"MLT","continent":"EU","capital":"Valletta","areaKm2":316.0,"population":483530,"currencyCode":"EUR","languages":["mt","en-MT"],"neighbours":[]}
    {"iso":"MU","name":"Mauritius","iso3":"MUS","continent":"AF","capital":"Port Louis","areaKm2":2040.0,"population":1265303,"currencyCode":"MUR","languages":["en-MU","bho","fr"],"neighbours":[]}
    {"iso":"MV","name":"Maldives","iso3":"MDV","continent":"AS","capital":"Male","areaKm2":300.0,"population":515696,"currencyCode":"MVR","languages":["dv","en"],"neighbours":[]}
    {"iso":"MW","name":"Malawi","iso3":"MWI","continent":"AF","capital":"Lilongwe","areaKm2":118480.0,"population":17563749,"currencyCode":"MWK","languages":["ny","yao","tum","swk"],"neighbours":["TZ","MZ","ZM"]}
    {"iso":"MX","name":"Mexico","iso3":"MEX","continent":"NA","capital":"Mexico City","areaKm2":1972550.0,"population":126190788,"currencyCode":"MXN","languages":["es-MX"],"neighbours":["GT","US","BZ"]}
    {"iso":"MY","name":"Malaysia","iso3":"MYS","continent":"AS","capital":"Kuala Lumpur","areaKm2":329750.0,"population":31528585,"currencyCode":"MYR","languages":["ms-MY","en","zh","ta","te","ml","pa","th"],"neighbours":["BN","TH","ID"]}
    {"iso":"MZ","name":"Mozambique","iso3":"MOZ","continent":"AF","capital":"Maputo","areaKm2":801590.0,"population":29495962,"currencyCode":"MZN","languages":["pt-MZ","vmw"],"neighbours":["ZW","TZ","SZ","ZA","ZM","MW"]}
    {"iso":"NA","name":"Namibia","iso3":"NAM","continent":"AF","capital":"Windhoek","areaKm2":825418.0,"population":2448255,"currencyCode":"NAD","languages":["en-NA","af","de","hz","naq"],"neighbours":["ZA","BW","ZM","AO"]}
    {"iso":"NC","name":"New Caledonia","iso3":"NCL","continent":"OC","capital":"Noumea","areaKm2":19060.0,"population":284060,"currencyCode":"XPF","languages":["fr-NC"],"neighbours":[]}
    {"iso":"NE","name":"Niger","iso3":"NER","continent":"AF","capital":"Niamey","areaKm2":1267000.0,"population":22442948,"currencyCode":"XOF","languages":["fr-NE","ha","kr","dje"],"neighbours":["TD","BJ","DZ","LY","BF","NG","ML"]}
    {"iso":"NF","name":"Norfolk Island","iso3":"NFK","continent":"OC","capital":"Kingston","areaKm2":34.0,"population":1828,"currencyCode":"AUD","languages":["en-NF"],"neighbours":[]}
    {"iso":"NG","name":"Nigeria","iso3":"NGA","continent":"AF","capital":"Abuja","areaKm2":923768.0,"population":195874740,"currencyCode":"NGN","languages":["en-NG","ha","yo","ig","ff"],"neighbours":["TD","NE","BJ","CM"]}
    {"iso":"NI","name":"Nicaragua","iso3":"NIC","continent":"NA","capital":"Managua","areaKm2":129494.0,"population":6465513,"currencyCode":"NIO","languages":["es-NI","en"],"neighbours":["CR","HN"]}
    {"iso":"NL","name":"The Netherlands","iso3":"NLD","continent":"EU","capital":"Amsterdam","areaKm2":41526.0,"population":17231017,"currencyCode":"EUR","languages":["nl-NL","fy-NL"],"neighbours":["DE","BE"]}
    {"iso":"NO","name":"Norway","iso3":"NOR","continent":"EU","capital":"Oslo","areaKm2":324220.0,"population":5314336,"currencyCode":"NOK","languages":["no","nb","nn","se","fi"],"neighbours":["FI","RU","SE"]}
    {"iso":"NP","name":"Nepal","iso3":"NPL","continent":"AS","capital":"Kathmandu","areaKm2":140800.0,"population":28087871,"currencyCode":"NPR","languages":["ne","en"],"neighbours":["CN","IN"]}
    {"iso":"NR","name":"Nauru","iso3":"NRU","continent":"OC","capital":"Yaren","areaKm2":21.0,"population":12704,"currencyCode":"AUD","languages":["na","en-NR"],"neighbours":[]}
    {"iso":"NU","name":"Niue","iso3":"NIU","continent":"OC","capital":"Alofi","areaKm2":260.0,"population":2166,"currencyCode":"NZD","languages":["niu","en-NU"],"neighbours":[]}
    {"iso":"NZ","name":"New Zealand","iso3":"NZL","continent":"OC","capital":"Wellington","areaKm2":268680.0,"population":4885500,"currencyCode":"NZD","languages":["en-NZ","mi"],"neighbours":[]}
    {"iso":"OM","name":"Oman","iso3":"OMN","continent":"AS","capital":"Muscat","areaKm2":212460.0,"population":4829483,"currencyCode":"OMR","languages":["ar-OM","en","bal","ur"],"neighbours":["SA","YE","AE"]}
    {"iso":"PA","name":"Panama","iso3":"PAN","continent":"NA","capital":"Panama City","areaKm2":78200.0,"population":4176873,"currencyCode":"PAB","languages":["es-PA","en"],"neighbours":["CR","CO"]}
    {"iso":"PE","name":"Peru","iso3":"PER","continent":"SA","capital":"Lima","areaKm2":1285220.0,"population":31989256,"currencyCode":"PEN","languages":["es-PE","qu","ay"],"neighbours":["EC","CL","BO","BR","CO"]}
    {"iso":"PF","name":"French Polynesia","iso3":"PYF","continent":"OC","capital":"Papeete","areaKm2":4167.0,"population":277679,"currencyCode":"XPF","languages":["fr-PF","ty"],"neighbours":[]}
    {"iso":"PG","name":"Papua New Guinea","iso3":"PNG","continent":"OC","capital":"Port Moresby","areaKm2":462840.0,"population":8606316,"currencyCode":"PGK","languages":["en-PG","ho","meu","tpi"],"neighbours":["ID"]}
    {"iso":"PH","name":"Philippines","iso3":"PHL","continent":"AS","capital":"Manila","areaKm2":300000.0,"population":106651922,"currencyCode":"PHP","languages":["tl","en-PH","fil","ceb","ilo","hil","war","pam","bik","bcl","pag","mrw","tsg","mdh","cbk","krj","sgd","msb","akl","ibg","yka","mta","abx"],"neighbours":[]}
    {"iso":"PK","name":"Pakistan","iso3":"PAK","continent":"AS","capital":"Islamabad","areaKm2":803940.0,"population":212215030,"currencyCode":"PKR","languages":["ur-PK","en-PK","pa","sd","ps","brh"],"neighbours":["CN","AF","IR","IN"]}
    {"iso":"PL","name":"Poland","iso3":"POL","continent":"EU","capital":"Warsaw","areaKm2":312685.0,"population":37978548,"currencyCode":"PLN","languages":["pl"],"neighbours":["DE","LT","SK","CZ","BY","UA","RU"]}
    {"iso":"PM","name":"Saint Pierre and Miquelon","iso3":"SPM","continent":"NA","capital":"Saint-Pierre","areaKm2":242.0,"population":7012,"currencyCode":"EUR","languages":["fr-PM"],"neighbours":[]}
    {"iso":"PN","name":"Pitcairn","iso3":"PCN","continent":"OC","capital":"Adamstown","areaKm2":47.0,"population":46,"currencyCode":"NZD","languages":["en-PN"],"neighbours":[]}
    {"iso":"PR","name":"Puerto Rico","iso3":"PRI","continent":"NA","capital":"San Juan","areaKm2":9104.0,"population":3195153,"currencyCode":"USD","languages":["en-PR","es-PR"],"neighbours":[]}
    {"iso":"PS","name":"Palestinian Territory","iso3":"PSE","continent":"AS","capital":"East Jerusalem","areaKm2":5970.0,"population":4569087,"currencyCode":"ILS","languages":["ar-PS"],"neighbours":["JO","IL","EG"]}
    {"iso":"PT","name":"Portugal","iso3":"PRT","continent":"EU","capital":"Lisbon","areaKm2":92391.0,"population":10281762,"currencyCode":"EUR","languages":["pt-PT","mwl"],"neighbours":["ES"]}
    {"iso":"PW","name":"Palau","iso3":"PLW","continent":"OC","capital":"Melekeok","areaKm2":458.0,"population":17907,"currencyCode":"USD","languages":["pau","sov","en-PW","tox","ja","fil","zh"],"neighbours":[]}
    {"iso":"PY","name":"Paraguay","iso3":"PRY","continent":"SA","capital":"Asuncion","areaKm2":406750.0,"population":6956071,"currencyCode":"PYG","languages":["es-PY","gn"],"neighbours":["BO","BR","AR"]}
    {"iso":"QA","name":"Qatar","iso3":"QAT","continent":"AS","capital":"Doha","areaKm2":11437.0,"population":2781677,"currencyCode":"QAR","languages":["ar-QA","es"],"neighbours":["SA"]}
    {"iso":"RE","name":"Reunion","iso3":"REU","continent":"AF","capital":"Saint-Denis","areaKm2":2517.0,"population":776948,"currencyCode":"EUR","languages":["fr-RE"],"neighbours":[]}
    {"iso":"RO","name":"Romania","iso3":"ROU","continent":"EU","capital":"Bucharest","areaKm2":237500.0,"population":19473936,"currencyCode":"RON","languages":["ro","hu","rom"],"neighbours":["MD","HU","UA","BG","RS"]}
    {"iso":"RS","name":"Serbia","iso3":"SRB","continent":"EU","capital":"Belgrade","areaKm2":88361.0,"population":6982084,"currencyCode":"RSD","languages":["sr","hu","bs","rom"],"neighbours":["AL","HU","MK","RO","HR","BA","BG","ME","XK"]}
    {"iso":"RU","name":"Russia","iso3":"RUS","continent":"EU","capital":"Moscow","areaKm2":17100000.0,"population":144478050,"currencyCode":"RUB","languages":["ru","tt","xal","cau","ady","kv","ce","tyv","cv","udm","tut","mns","bua","myv","mdf","chm","ba","inh","kbd","krc","av","sah","nog"],"neighbours":["GE","CN","BY","UA","KZ","LV","PL","EE","LT","FI","MN","NO","AZ","KP"]}
    {"iso":"RW","name":"Rwanda","iso3":"RWA","continent":"AF","capital":"Kigali","areaKm2":26338.0,"population":12301939,"currencyCode":"RWF","languages":["rw","en-RW","fr-RW","sw"],"neighbours":["TZ","CD","BI","UG"]}
    {"iso":"SA","name":"Saudi Arabia","iso3":"SAU","continent":"AS","capital":"Riyadh","areaKm2":1960582.0,"population":33699947,"currencyCode":"SAR","languages":["ar-SA"],"neighbours":["QA","OM","IQ","YE","JO","AE","KW"]}
    {"iso":"SB","name":"Solomon Islands","iso3":"SLB","continent":"OC","capital":"Honiara","areaKm2":28450.0,"population":652858,"currencyCode":"SBD","languages":["en-SB","tpi"],"neighbours":[]}
    {"iso":"SC","name":"Seychelles","iso3":"SYC","continent":"AF","capital":"Victoria","areaKm2":455.0,"population":96762,"currencyCode":"SCR","languages":["en-SC","fr-SC"],"neighbours":[]}
    {"iso":"SD","name":"Sudan","iso3":"SDN","continent":"AF","capital":"Khartoum","areaKm2":1861484.0,"population":41801533,"currencyCode":"SDG","languages":["ar-SD","en","fia"],"neighbours":["SS","TD","EG","ET","ER","LY","CF"]}
    {"iso":"SS","name":"South Sudan","iso3":"SSD","continent":"AF","capital":"Juba","areaKm2":644329.0,"population":8260490,"currencyCode":"SSP","languages":["en"],"neighbours":["CD","CF","ET","KE","SD","UG"]}
    {"iso":"SE","name":"Sweden","iso3":"SWE","continent":"EU","capital":"Stockholm","areaKm2":449964.0,"population":10183175,"currencyCode":"SEK","languages":["sv-SE","se","sma","fi-SE"],"neighbours":["NO","FI"]}
    {"iso":"SG","name":"Singapore","iso3":"SGP","continent":"AS","capital":"Singapore","areaKm2":692.0,"population":5638676,"currencyCode":"SGD","languages":["cmn","en-SG","ms-SG","ta-SG","zh-SG"],"neighbours":[]}
    {"iso":"SH","name":"Saint Helena","iso3":"SHN","continent":"AF","capital":"Jamestown","areaKm2":410.0,"population":7460,"currencyCode":"SHP","languages":["en-SH"],"neighbours":[]}
    {"iso":"SI","name":"Slovenia","iso3":"SVN","continent":"EU","capital":"Ljubljana","areaKm2":20273.0,"population":2067372,"currencyCode":"EUR","languages":["sl","sh"],"neighbours":["HU","IT","HR","AT"]}
    {"iso":"SJ","name":"Svalbard and Jan Mayen","iso3":"SJM","continent":"EU","capital":"Longyearbyen","areaKm2":62049.0,"population":2550,"currencyCode":"NOK","languages":["no","ru"],"neighbours":[]}
    {"iso":"SK","name":"Slovakia","iso3":"SVK","continent":"EU","capital":"Bratislava","areaKm2":48845.0,"population":5447011,"currencyCode":"EUR","languages":["sk","hu"],"neighbours":["PL","HU","CZ","UA","AT"]}
    {"iso":"SL","name":"Sierra Leone","iso3":"SLE","continent":"AF","capital":"Freetown","areaKm2":71740.0,"population":7650154,"currencyCode":"SLE","languages":["en-SL","men","tem"],"neighbours":["LR","GN"]}
    {"iso":"SM","name":"San Marino","iso3":"SMR","continent":"EU","capital":"San Marino","areaKm2":61.0,"population":33785,"currencyCode":"EUR","languages":["it-SM"],"neighbours":["IT"]}
    {"iso":"SN","name":"Senegal","iso3":"SEN","continent":"AF","capital":"Dakar","areaKm2":196190.0,"population":15854360,"currencyCode":"XOF","languages":["fr-SN","wo","fuc","mnk"],"neighbours":["GN","MR","GW","GM","ML"]}
    {"iso":"SO","name":"Somalia","iso3":"SOM","continent":"AF","capital":"Mogadishu","areaKm2":637657.0,"population":15008154,"currencyCode":"SOS","languages":["so-SO","ar-SO","it","en-SO"],"neighbours":["ET","KE","DJ"]}
    {"iso":"SR","name":"Suriname","iso3":"SUR","continent":"SA","capital":"Paramaribo","areaKm2":163270.0,"population":575991,"currencyCode":"SRD","languages":["nl-SR","en","srn","hns","jv"],"neighbours":["GY","BR","GF"]}
    {"iso":"ST","name":"Sao Tome and Principe","iso3":"STP","continent":"AF","capital":"Sao Tome","areaKm2":1001.0,"population":197700,"currencyCode":"STN","languages":["pt-ST"],"neighbours":[]}
    {"iso":"SV","name":"El Salvador","iso3":"SLV","continent":"NA","capital":"San Salvador","areaKm2":21040.0,"population":6420744,"currencyCode":"USD","languages":["es-SV"],"neighbours":["GT","HN"]}
    {"iso":"SX","name":"Sint Maarten","iso3":"SXM","continent":"NA","capital":"Philipsburg","areaKm2":21.0,"population":40654,"currencyCode":"XCG","languages":["nl","en"],"neighbours":["MF"]}
    {"iso":"SY","name":"Syria","iso3":"SYR","continent":"AS","capital":"Damascus","areaKm2":185180.0,"population":16906283,"currencyCode":"SYP","languages":["ar-SY","ku","hy","arc","fr","en"],"neighbours":["IQ","JO","IL","TR","LB"]}
    {"iso":"SZ","name":"Eswatini","iso3":"SWZ","continent":"AF","capital":"Mbabane","areaKm2":17363.0,"population":1136191,"currencyCode":"SZL","languages":["en-SZ","ss-SZ"],"neighbours":["ZA","MZ"]}
    {"iso":"TC","name":"Turks and Caicos Islands","iso3":"TCA","continent":"NA","capital":"Cockburn Town","areaKm2":430.0,"population":37665,"currencyCode":"USD","languages":["en-TC"],"neighbours":[]}
    {"iso":"TD","name":"Chad","iso3":"TCD","continent":"AF","capital":"N'Djamena","areaKm2":1284000.0,"population":15477751,"currencyCode":"XAF","languages":["fr-TD","ar-TD","sre"],"neighbours":["NE","LY","CF","SD","CM","NG"]}
    {"iso":"TF","name":"French Southern Territories","iso3":"ATF","continent":"AN","capital":"Port-aux-Francais","areaKm2":7829.0,"population":140,"currencyCode":"EUR","languages":["fr"],"neighbours":[]}
    {"iso":"TG","name":"Togo","iso3":"TGO","continent":"AF","capital":"Lome","areaKm2":56785.0,"population":7889094,"currencyCode":"XOF","languages":["fr-TG","ee","hna","kbp","dag","ha"],"neighbours":["BJ","GH","BF"]}
    {"iso":"TH","name":"Thailand","iso3":"THA","continent":"AS","capital":"Bangkok","areaKm2":514000.0,"population":69428524,"currencyCode":"THB","languages":["th","en"],"neighbours":["LA","MM","KH","MY"]}
    {"iso":"TJ","name":"Tajikistan","iso3":"TJK","continent":"AS","capital":"Dushanbe","areaKm2":143100.0,"population":9100837,"currencyCode":"TJS","languages":["tg","ru"],"neighbours":["CN","AF","KG","UZ"]}
    {"iso":"TK","name":"Tokelau","iso3":"TKL","continent":"OC","capital":null,"areaKm2":10.0,"population":1466,"currencyCode":"NZD","languages":["tkl","en-TK"],"neighbours":[]}
    {"iso":"TL","name":"Timor Leste","iso3":"TLS","continent":"OC","capital":"Dili","areaKm2":15007.0,"population":1267972,"currencyCode":"USD","languages":["tet","pt-TL","id","en"],"neighbours":["ID"]}
    {"iso":"TM","name":"Turkmenistan","iso3":"TKM","continent":"AS","capital":"Ashgabat","areaKm2":488100.0,"population":5850908,"currencyCode":"TMT","languages":["tk","ru","uz"],"neighbours":["AF","IR","UZ","KZ"]}
    {"iso":"TN","name":"Tunisia","iso3":"TUN","continent":"AF","capital":"Tunis","areaKm2":163610.0,"population":11565204,"currencyCode":"TND","languages":["ar-TN","fr"],"neighbours":["DZ","LY"]}
    {"iso":"TO","name":"Tonga","iso3":"TON","continent":"OC","capital":"Nuku'alofa","areaKm2":748.0,"population":103197,"currencyCode":"TOP","languages":["to","en-TO"],"neighbours":[]}
    {"iso":"TR","name":"Turkey","iso3":"TUR","continent":"AS","capital":"Ankara","areaKm2":780580.0,"population":82319724,"currencyCode":"TRY","languages":["tr-TR","ku","diq","az","av"],"neighbours":["SY","GE","IQ","IR","GR","AM","AZ","BG"]}
    {"iso":"TT","name":"Trinidad and Tobago","iso3":"TTO","continent":"NA","capital":"Port of Spain","areaKm2":5128.0,"population":1389858,"currencyCode":"TTD","languages":["en-TT","hns","fr","es","zh"],"neighbours":[]}
    {"iso":"TV","name":"Tuvalu","iso3":"TUV","continent":"OC","capital":"Funafuti","areaKm2":26.0,"population":11508,"currencyCode":"AUD","languages":["tvl","en","sm","gil"],"neighbours":[]}
    {"iso":"TW","name":"Taiwan","iso3":"TWN","continent":"AS","capital":"Taipei","areaKm2":35980.0,"population":23451837,"currencyCode":"TWD","languages":["zh-TW","zh","nan","hak"],"neighbours":[]}
    {"iso":"TZ","name":"Tanzania","iso3":"TZA","continent":"AF","capital":"Dodoma","areaKm2":945087.0,"population":56318348,"currencyCode":"TZS","languages":["sw-TZ","en","ar"],"neighbours":["MZ","KE","CD","RW","ZM","BI","UG","MW"]}
    {"iso":"UA","name":"Ukraine","iso3":"UKR","continent":"EU","capital":"Kyiv","areaKm2":603700.0,"population":40000000,"currencyCode":"UAH","languages":["uk","ru-UA","rom","pl","hu"],"neighbours":["PL","MD","HU","SK","BY","RO","RU"]}
    {"iso":"UG","name":"Uganda","iso3":"UGA","continent":"AF","capital":"Kampala","areaKm2":236040.0,"population":42723139,"currencyCode":"UGX","languages":["en-UG","lg","sw","ar"],"neighbours":["TZ","KE","SS","CD","RW"]}
    {"iso":"UM","name":"United States Minor Outlying Islands","iso3":"UMI","continent":"OC","capital":null,"areaKm2":0.0,"population":0,"currencyCode":"USD","languages":["en-UM"],"neighbours":[]}
    {"iso":"US","name":"United States","iso3":"USA","continent":"NA","capital":"Washington","areaKm2":9629091.0,"population":327167434,"currencyCode":"USD","languages":["en-US","es-US","haw","fr"],"neighbours":["CA","MX","CU"]}
    {"iso":"UY","name":"Uruguay","iso3":"URY","continent":"SA","capital":"Montevideo","areaKm2":176220.0,"population":3449299,"currencyCode":"UYU","languages":["es-UY"],"neighbours":["BR","AR"]}
    {"iso":"UZ","name":"Uzbekistan","iso3":"UZB","continent":"AS","capital":"Tashkent","areaKm2":447400.0,"population":32955400,"currencyCode":"UZS","languages":["uz","ru","tg"],"neighbours":["TM","AF","KG","TJ","KZ"]}
    {"iso":"VA","name":"Vatican","iso3":"VAT","continent":"EU","capital":"Vatican City","areaKm2":0.0,"population":921,"currencyCode":"EUR","languages":["la","it","fr"],"neighbours":["IT"]}
    {"iso":"VC","name":"Saint Vincent and the Grenadines","iso3":"VCT","continent":"NA","capital":"Kingstown","areaKm2":389.0,"population":110211,"currencyCode":"XCD","languages":["en-VC","fr"],"neighbours":[]}
    {"iso":"VE","name":"Venezuela","iso3":"VEN","continent":"SA","capital":"Caracas","areaKm2":912050.0,"population":28870195,"currencyCode":"VES","languages":["es-VE"],"neighbours":["GY","BR","CO"]}
    {"iso":"VG","name":"British Virgin Islands","iso3":"VGB","continent":"NA","capital":"Road Town","areaKm2":153.0,"population":29802,"currencyCode":"USD","languages":["en-VG"],"neighbours":[]}
    {"iso":"VI","name":"U.S. Virgin Islands","iso3":"VIR","continent":"NA","capital":"Charlotte Amalie","areaKm2":352.0,"population":106977,"currencyCode":"USD","languages":["en-VI"],"neighbours":[]}
    {"iso":"VN","name":"Vietnam","iso3":"VNM","continent":"AS","capital":"Hanoi","areaKm2":329560.0,"population":95540395,"currencyCode":"VND","languages":["vi","en","fr","zh","km"],"neighbours":["CN","LA","KH"]}
    {"iso":"VU","name":"Vanuatu","iso3":"VUT","continent":"OC","capital":"Port Vila","areaKm2":12200.0,"population":292680,"currencyCode":"VUV","languages":["bi","en-VU","fr-VU"],"neighbours":[]}
    {"iso":"WF","name":"Wallis and Futuna","iso3":"WLF","continent":"OC","capital":"Mata Utu","areaKm2":274.0,"population":16025,"currencyCode":"XPF","languages":["wls","fud","fr-WF"],"neighbours":[]}
    {"iso":"WS","name":"Samoa","iso3":"WSM","continent":"OC","capital":"Apia","areaKm2":2944.0,"population":196130,"currencyCode":"WST","languages":["sm","en-WS"],"neighbours":[]}
    {"iso":"YE","name":"Yemen","iso3":"YEM","continent":"AS","capital":"Sanaa","areaKm2":527970.0,"population":28498687,"currencyCode":"YER","languages":["ar-YE"],"neighbours":["SA","OM"]}
    {"iso":"YT","name":"Mayotte","iso3":"MYT","continent":"AF","capital":"Mamoudzou","areaKm2":374.0,"population":279471,"currencyCode":"EUR","languages":["fr-YT"],"neighbours":[]}
    {"iso":"ZA","name":"South Africa","iso3":"ZAF","continent":"AF","capital":"Pretoria","areaKm2":1219912.0,"population":57779622,"currencyCode":"ZAR","languages":["zu","xh","af","nso","en-ZA","tn","st","ts","ss","ve","nr"],"neighbours":["ZW","SZ","MZ","BW","NA","LS"]}
    {"iso":"ZM","name":"Zambia","iso3":"ZMB","continent":"AF","capital":"Lusaka","areaKm2":752614.0,"population":17351822,"currencyCode":"ZMW","languages":["en-ZM","bem","loz","lun","lue","ny","toi"],"neighbours":["ZW","TZ","MZ","CD","NA","MW","AO"]}
    {"iso":"ZW","name":"Zimbabwe","iso3":"ZWE","continent":"AF","capital":"Harare","areaKm2":390580.0,"population":16868409,"currencyCode":"ZWG","languages":["en-ZW","sn","nr","nd"],"neighbours":["ZA","MZ","BW","ZM"]}
    {"iso":"CS","name":"Serbia and Montenegro","iso3":"SCG","continent":"EU","capital":"Belgrade","areaKm2":102350.0,"population":10829175,"currencyCode":"RSD","languages":["cu","hu","sq","sr"],"neighbours":["AL","HU","MK","RO","HR","BA","BG"]}
    {"iso":"AN","name":"Netherlands Antilles","iso3":"ANT","continent":"NA","capital":"Willemstad","areaKm2":960.0,"population":300000,"currencyCode":"ANG","languages":["nl-AN","en","es"],"neighbours":["GP"]}
    """#

  /// The 395 rows of `City`.
  package static let cities = #"""
    {"id":3041563,"name":"Andorra la Vella","country":"AD","admin1":"07","population":20430,"latitude":42.50779,"longitude":1.52109,"timezone":"Europe/Andorra","alternateNames":["Andòrra la Vièlha","Андора ла Веља","አንዶራ ላ ቬላ"]}
    {"id":292223,"name":"Dubai","country":"AE","admin1":"03","population":3790000,"latitude":25.07725,"longitude":55.30927,"timezone":"Asia/Dubai","alternateNames":["Dúbæ","দুবাই","迪拜"]}
    {"id":292672,"name":"Sharjah","country":"AE","admin1":"06","population":1800000,"latitude":25.3342,"longitude":55.41221,"timezone":"Asia/Dubai","alternateNames":["Shāriqah","शारजा","ሻርጃ"]}
    {"id":292862,"name":"Ḩattā","country":"AE","admin1":"03","population":15324,"latitude":24.80073,"longitude":56.12726,"timezone":"Asia/Dubai","alternateNames":["Al Ḩajarayn","حتا","Ḩajarayn"]}
    {"id":292968,"name":"Abu Dhabi","country":"AE","admin1":"01","population":1807000,"latitude":24.45118,"longitude":54.39696,"timezone":"Asia/Dubai","alternateNames":["Abú Zabí","ଆବୁଧାବି","အဘူဒါဘီမြို့"]}
    {"id":1138958,"name":"Kabul","country":"AF","admin1":"13","population":4434550,"latitude":34.52813,"longitude":69.17233,"timezone":"Asia/Kabul","alternateNames":["Kabûl","คาบูล","ཁ་པུལ།"]}
    {"id":2240449,"name":"Luanda","country":"AO","admin1":"20","population":2776168,"latitude":-8.83682,"longitude":13.23432,"timezone":"Africa/Luanda","alternateNames":["São Paulo de Luanda","ლუანდა","ሏንዳ"]}
    {"id":3435910,"name":"Buenos Aires","country":"AR","admin1":"07","population":2891082,"latitude":-34.61315,"longitude":-58.37723,"timezone":"America/Argentina/Buenos_Aires","alternateNames":["Bonaëropolis","בוענאס איירעס","부에노스아이레스"]}
    {"id":3833367,"name":"Ushuaia","country":"AR","admin1":"23","population":56825,"latitude":-54.81084,"longitude":-68.31591,"timezone":"America/Argentina/Ushuaia","alternateNames":["Ušvaja","ʿuሁwaya","อูซัวยา"]}
    {"id":3860259,"name":"Córdoba","country":"AR","admin1":"05","population":2106734,"latitude":-31.40648,"longitude":-64.18853,"timezone":"America/Argentina/Cordoba","alternateNames":["Córdoba i Argentina","কর্ডোবা","科尔多瓦"]}
    {"id":2761369,"name":"Vienna","country":"AT","admin1":"09","population":1691468,"latitude":48.20849,"longitude":16.37208,"timezone":"Europe/Vienna","alternateNames":["Vín","Вена","वियना"]}
    {"id":2063523,"name":"Perth","country":"AU","admin1":"08","population":2384371,"latitude":-31.95224,"longitude":115.8614,"timezone":"Australia/Perth","alternateNames":["Pērta","পার্থ","珀斯"]}
    {"id":2078025,"name":"Adelaide","country":"AU","admin1":"05","population":1469163,"latitude":-34.92866,"longitude":138.59863,"timezone":"Australia/Adelaide","alternateNames":["Adelaidė","Αδελαΐδα","એડિલેઇડ"]}
    {"id":2147714,"name":"Sydney","country":"AU","admin1":"02","population":5638830,"latitude":-33.86785,"longitude":151.20732,"timezone":"Australia/Sydney","alternateNames":["Sidnėjus","ਸਿਡਨੀ","સીડની"]}
    {"id":2158177,"name":"Melbourne","country":"AU","admin1":"07","population":5435590,"latitude":-37.814,"longitude":144.96332,"timezone":"Australia/Melbourne","alternateNames":["Melpurn","Մելպուռն","মেলবোর্ন"]}
    {"id":2174003,"name":"Brisbane","country":"AU","admin1":"04","population":2780063,"latitude":-27.46794,"longitude":153.02809,"timezone":"Australia/Brisbane","alternateNames":["Pu-lî-sṳ̂-pân","Брисбен","布里斯班"]}
    {"id":147059,"name":"Əhmədbəyli","country":"AZ","admin1":"45","population":17242,"latitude":39.88074,"longitude":48.39158,"timezone":"Asia/Baku","alternateNames":["Ahmedbeyli","Tel’mankend","Əhmədbəyli"]}
    {"id":148565,"name":"Şirvan","country":"AZ","admin1":"07","population":70220,"latitude":39.93778,"longitude":48.929,"timezone":"Asia/Baku","alternateNames":["Əli Bayramlı","Ширван","সিরভান"]}
    {"id":587084,"name":"Baku","country":"AZ","admin1":"09","population":2351300,"latitude":40.37767,"longitude":49.89201,"timezone":"Asia/Baku","alternateNames":["Bakú","বাকু","巴库"]}
    {"id":1185241,"name":"Dhaka","country":"BD","admin1":"81","population":10356500,"latitude":23.7104,"longitude":90.40744,"timezone":"Asia/Dhaka","alternateNames":["Dhâkâ","Даака","ढाका"]}
    {"id":1193745,"name":"Nagar Naluākot","country":"BD","admin1":"81","population":273000,"latitude":24.15608,"longitude":90.7728,"timezone":"Asia/Dhaka","alternateNames":["nagara naluyakota","নগর নলুয়াকোট","সুটরিয়া"]}
    {"id":1200109,"name":"Gazipur","country":"BD","admin1":"81","population":2674697,"latitude":23.99844,"longitude":90.42234,"timezone":"Asia/Dhaka","alternateNames":["गाजीपुर","ਗਾਜ਼ੀਪੁਰ","ጋዚፑር"]}
    {"id":1205733,"name":"Chattogram","country":"BD","admin1":"84","population":3920222,"latitude":22.3384,"longitude":91.83168,"timezone":"Asia/Dhaka","alternateNames":["Chôţţogram","சிட்டகொங்","చిట్టగాంగ్"]}
    {"id":1336135,"name":"Khulna","country":"BD","admin1":"82","population":1500689,"latitude":22.80979,"longitude":89.56439,"timezone":"Asia/Dhaka","alternateNames":["Khulnâ","クルナ","쿨나"]}
    {"id":2357048,"name":"Ouagadougou","country":"BF","admin1":"03","population":2415266,"latitude":12.36566,"longitude":-1.53388,"timezone":"Africa/Ouagadougou","alternateNames":["Uagadugú","Wàadúu","wagadugu"]}
    {"id":3579132,"name":"Gustavia","country":"BL","admin1":"00","population":5988,"latitude":17.89618,"longitude":-62.84978,"timezone":"America/St_Barthelemy","alternateNames":["Gustávia","gustavhiya","گوستاویا"]}
    {"id":3904906,"name":"Santa Cruz de la Sierra","country":"BO","admin1":"08","population":1831434,"latitude":-17.78629,"longitude":-63.18117,"timezone":"America/La_Paz","alternateNames":["sanita kiruዝ de la siyera","सांता क्रूज़ डी ला सिएरा","ਸਾਂਤਾ ਕਰੂਜ਼ ਦੇ ਲਾ ਸਿਏਰਾ"]}
    {"id":3911925,"name":"La Paz","country":"BO","admin1":"04","population":2004652,"latitude":-16.5,"longitude":-68.15,"timezone":"America/La_Paz","alternateNames":["Nuestra Señora de La Paz","ଲାପାଜ","ലാ പാസ്"]}
    {"id":3513563,"name":"Kralendijk","country":"BQ","admin1":"BO","population":10620,"latitude":12.15,"longitude":-68.26667,"timezone":"America/Kralendijk","alternateNames":["Կրալենդիյկ","کرالن‌دیک","クラレンダイク"]}
    {"id":3390760,"name":"Recife","country":"BR","admin1":"30","population":1653461,"latitude":-8.05389,"longitude":-34.88111,"timezone":"America/Recife","alternateNames":["Mauricéa","Ρεσίφε","რესიფი"]}
    {"id":3393768,"name":"Óbidos","country":"BR","admin1":"16","population":52306,"latitude":-1.9175,"longitude":-55.51806,"timezone":"America/Santarem","alternateNames":["OBI","Óbidos","奧比多斯"]}
    {"id":3399415,"name":"Fortaleza","country":"BR","admin1":"06","population":2400000,"latitude":-3.71722,"longitude":-38.54306,"timezone":"America/Fortaleza","alternateNames":["Fortaleza Nova de Bragança","פורטלזה","포르탈레자"]}
    {"id":3405870,"name":"Belém","country":"BR","admin1":"16","population":1499641,"latitude":-1.45583,"longitude":-48.50444,"timezone":"America/Belem","alternateNames":["Belem do Pará","belema","بلم"]}
    {"id":3408166,"name":"Águas Belas","country":"BR","admin1":"30","population":43713,"latitude":-9.11139,"longitude":-37.12306,"timezone":"America/Recife","alternateNames":["Aguas Bellas"]}
    {"id":3448439,"name":"São Paulo","country":"BR","admin1":"27","population":12400232,"latitude":-23.5475,"longitude":-46.63611,"timezone":"America/Sao_Paulo","alternateNames":["São Paulo capital","সাঁউ পাউলু","聖保羅"]}
    {"id":3450554,"name":"Salvador","country":"BR","admin1":"05","population":2711840,"latitude":-12.97563,"longitude":-38.49096,"timezone":"America/Bahia","alternateNames":["Salvador de Bahía","سالفادور، باهيا","ซัลวาดอร์"]}
    {"id":3451190,"name":"Rio de Janeiro","country":"BR","admin1":"21","population":6747815,"latitude":-22.90642,"longitude":-43.18223,"timezone":"America/Sao_Paulo","alternateNames":["Rio de Žaneiras","Ρίο ντε Τζανέιρο","რიო-დე-ჟანეირო"]}
    {"id":3452925,"name":"Porto Alegre","country":"BR","admin1":"23","population":1488252,"latitude":-30.03283,"longitude":-51.23019,"timezone":"America/Sao_Paulo","alternateNames":["Pôrto de São Francisco dos Casaes","Πόρτο Αλέγκρε","პორტუ-ალეგრი"]}
    {"id":3462377,"name":"Goiânia","country":"BR","admin1":"29","population":1536097,"latitude":-16.67861,"longitude":-49.25389,"timezone":"America/Sao_Paulo","alternateNames":["Goiânia","גואיאניה","고이아니아"]}
    {"id":3464975,"name":"Curitiba","country":"BR","admin1":"18","population":1948626,"latitude":-25.42778,"longitude":-49.27306,"timezone":"America/Sao_Paulo","alternateNames":["Kùrìtíbà","குரிடிபே","𐌺𐌿𐍂𐌹𐍄𐌹𐌱𐌰"]}
    {"id":3469058,"name":"Brasília","country":"BR","admin1":"07","population":2207718,"latitude":-15.77972,"longitude":-47.92972,"timezone":"America/Sao_Paulo","alternateNames":["Braxiłia","Brazilėjė","ブラジリア"]}
    {"id":3470127,"name":"Belo Horizonte","country":"BR","admin1":"15","population":2721564,"latitude":-19.92083,"longitude":-43.93778,"timezone":"America/Sao_Paulo","alternateNames":["Belo Horizontė","بلو هوریزونته","เบโลโอรีซอนชี"]}
    {"id":3663517,"name":"Manaus","country":"BR","admin1":"04","population":2219580,"latitude":-3.10194,"longitude":-60.025,"timezone":"America/Manaus","alternateNames":["Manaos","Manáos","ماناوس"]}
    {"id":625144,"name":"Minsk","country":"BY","admin1":"04","population":1742124,"latitude":53.90019,"longitude":27.56653,"timezone":"Europe/Minsk","alternateNames":["Mińsk","Минскай","मिन्‍स्‍क"]}
    {"id":6058560,"name":"London","country":"CA","admin1":"08","population":422324,"latitude":42.98339,"longitude":-81.23304,"timezone":"America/Toronto","alternateNames":["londoni","لندن، اونٹاریو","伦敦"]}
    {"id":6077243,"name":"Montréal","country":"CA","admin1":"10","population":1762949,"latitude":45.50884,"longitude":-73.58781,"timezone":"America/Toronto","alternateNames":["Montréal","ᒧᕆᐊᓪ","蒙特利尔"]}
    {"id":6167865,"name":"Toronto","country":"CA","admin1":"08","population":2794356,"latitude":43.70643,"longitude":-79.39864,"timezone":"America/Toronto","alternateNames":["Torontó","טאראנטא","토론토"]}
    {"id":7304591,"name":"West Island","country":"CC","admin1":null,"population":120,"latitude":-12.15681,"longitude":96.82251,"timezone":"Indian/Cocos","alternateNames":["Isla oeste","weseuteu seom","웨스트 섬"]}
    {"id":209228,"name":"Mbuji-Mayi","country":"CD","admin1":"04","population":2101332,"latitude":-6.13603,"longitude":23.58979,"timezone":"Africa/Lubumbashi","alternateNames":["מבוג'י-מאיי","ਮਬੁਜੀ-ਮਾਈ","ムブジマイ"]}
    {"id":922704,"name":"Lubumbashi","country":"CD","admin1":"14","population":2221925,"latitude":-11.66089,"longitude":27.47938,"timezone":"Africa/Lubumbashi","alternateNames":["Lubumbaši","Лубумбаші","盧本巴希"]}
    {"id":2314302,"name":"Kinshasa","country":"CD","admin1":"06","population":16000000,"latitude":-4.32758,"longitude":15.31357,"timezone":"Africa/Kinshasa","alternateNames":["Kinšasa","kynshasa","কিনশাসা"]}
    {"id":2260535,"name":"Brazzaville","country":"CG","admin1":"12","population":1982000,"latitude":-4.26613,"longitude":15.28318,"timezone":"Africa/Brazzaville","alternateNames":["Μπραζαβίλ","ברזוויל","브라자빌"]}
    {"id":2661604,"name":"Basel","country":"CH","admin1":"BS","population":177595,"latitude":47.55839,"longitude":7.57327,"timezone":"Europe/Zurich","alternateNames":["Baxiłea","บาเซิล","པ་སེལ།"]}
    {"id":2293538,"name":"Abidjan","country":"CI","admin1":"93","population":6321017,"latitude":5.35444,"longitude":-4.00167,"timezone":"Africa/Abidjan","alternateNames":["Abidžana","Abiĝano","അബിജാൻ"]}
    {"id":3871336,"name":"Santiago","country":"CL","admin1":"12","population":4837295,"latitude":-33.45694,"longitude":-70.64827,"timezone":"America/Santiago","alternateNames":["Čilės Santjagas","سانتياغو","সান্টিয়াগো"]}
    {"id":3893894,"name":"Concepción","country":"CL","admin1":"06","population":223574,"latitude":-36.82699,"longitude":-73.04977,"timezone":"America/Santiago","alternateNames":["Concepción","ܩܘܢܣܦܣܝܘܢ","𐌺𐍉𐌽𐌸𐌴𐍀𐌸𐌹𐍉𐌽"]}
    {"id":1529102,"name":"Ürümqi","country":"CN","admin1":"13","population":3029372,"latitude":43.80096,"longitude":87.60046,"timezone":"Asia/Urumqi","alternateNames":["Urumčis","Ουρουμτσί","ურუმჩი"]}
    {"id":1783621,"name":"Zunyi","country":"CN","admin1":"18","population":2037775,"latitude":27.68667,"longitude":106.90722,"timezone":"Asia/Shanghai","alternateNames":["Cŏng-ngiê","zun yi shi","زونیئی"]}
    {"id":1784658,"name":"Zhengzhou","country":"CN","admin1":"09","population":4253913,"latitude":34.75778,"longitude":113.64861,"timezone":"Asia/Shanghai","alternateNames":["Tēⁿ-chiu-chhī","ਚੰਙਚੋ","정저우 시"]}
    {"id":1784853,"name":"Zhaoqing","country":"CN","admin1":"30","population":1553109,"latitude":23.04893,"longitude":112.46091,"timezone":"Asia/Shanghai","alternateNames":["Triệu Khánh","zhawchyng","ژاؤچینگ"]}
    {"id":1785286,"name":"Zibo","country":"CN","admin1":"25","population":3129228,"latitude":36.79056,"longitude":118.06333,"timezone":"Asia/Shanghai","alternateNames":["Cṳ̆-báuk","Truy Bác","シ博市"]}
    {"id":1785623,"name":"Kunshan","country":"CN","admin1":"04","population":2092496,"latitude":31.37762,"longitude":120.95431,"timezone":"Asia/Shanghai","alternateNames":["Kunšanas","Yushan Zhen","کونشان"]}
    {"id":1785725,"name":"Yunfu","country":"CN","admin1":"30","population":2612800,"latitude":22.92787,"longitude":112.03809,"timezone":"Asia/Shanghai","alternateNames":["Yün-ch’eng-chen","Yün-fou-hsien","یونفو"]}
    {"id":1786657,"name":"Yinchuan","country":"CN","admin1":"21","population":1487579,"latitude":38.46806,"longitude":106.27306,"timezone":"Asia/Shanghai","alternateNames":["Inčuanas","ইনচুয়ান","銀川市"]}
    {"id":1787093,"name":"Yantai","country":"CN","admin1":"25","population":2227733,"latitude":37.47649,"longitude":121.44081,"timezone":"Asia/Shanghai","alternateNames":["Yen-t’ai-shih","Yên Đài","يەنتەي شەھىرى"]}
    {"id":1787227,"name":"Yangzhou","country":"CN","admin1":"04","population":1584237,"latitude":32.39722,"longitude":119.43583,"timezone":"Asia/Shanghai","alternateNames":["Jang-čou","Јангџоу","양저우 시"]}
    {"id":1787331,"name":"Zhangjiagang","country":"CN","admin1":"04","population":1432044,"latitude":31.865,"longitude":120.53889,"timezone":"Asia/Shanghai","alternateNames":["Yang-she-ying","Zhangjiagang Shi","张家港市"]}
    {"id":1787746,"name":"Yancheng","country":"CN","admin1":"04","population":1615717,"latitude":33.3575,"longitude":120.1573,"timezone":"Asia/Shanghai","alternateNames":["Iâm-siâⁿ-chhī","Јанченг","塩城市"]}
    {"id":1788852,"name":"Xining","country":"CN","admin1":"06","population":1677177,"latitude":36.62554,"longitude":101.75739,"timezone":"Asia/Shanghai","alternateNames":["Se-lêng-chhī","জিনিং","西寧市"]}
    {"id":1790437,"name":"Zhuhai","country":"CN","admin1":"30","population":2207090,"latitude":22.27694,"longitude":113.56778,"timezone":"Asia/Shanghai","alternateNames":["Chu-hái-chhī","Zhūhǎi","ג'והאי"]}
    {"id":1790630,"name":"Xi’an","country":"CN","admin1":"26","population":9600000,"latitude":34.25833,"longitude":108.92861,"timezone":"Asia/Shanghai","alternateNames":["Xī'ān","জিয়ান","西安市"]}
    {"id":1790645,"name":"Xiamen","country":"CN","admin1":"07","population":4617251,"latitude":24.47979,"longitude":118.08187,"timezone":"Asia/Shanghai","alternateNames":["Ha-mùn-sṳ","Σιαμέν","샤먼 시"]}
    {"id":1790842,"name":"Wuzhong","country":"CN","admin1":"21","population":7202654,"latitude":37.9867,"longitude":106.201,"timezone":"Asia/Shanghai","alternateNames":["Wu-chung-p’u","wu zhong shi","吴忠"]}
    {"id":1790923,"name":"Wuxi","country":"CN","admin1":"04","population":4396835,"latitude":31.56887,"longitude":120.28857,"timezone":"Asia/Shanghai","alternateNames":["Vô Tích","Уси","ਵੁਕਸੀ"]}
    {"id":1791121,"name":"Changde","country":"CN","admin1":"11","population":1457419,"latitude":29.03205,"longitude":111.69844,"timezone":"Asia/Shanghai","alternateNames":["Siông-tek-chhī","Чангде","창더 시"]}
    {"id":1791236,"name":"Wuhu","country":"CN","admin1":"01","population":1598165,"latitude":31.35259,"longitude":118.42947,"timezone":"Asia/Shanghai","alternateNames":["Vu Hồ","Вуху","우후 시"]}
    {"id":1791247,"name":"Wuhan","country":"CN","admin1":"12","population":10392693,"latitude":30.58333,"longitude":114.26667,"timezone":"Asia/Shanghai","alternateNames":["Vú-hon-sṳ","Γουχάν","𐍅𐌿𐌷𐌰𐌽"]}
    {"id":1791388,"name":"Wenzhou","country":"CN","admin1":"02","population":2650000,"latitude":27.99942,"longitude":120.66682,"timezone":"Asia/Shanghai","alternateNames":["Vendžou","Ôn Châu","원저우 시"]}
    {"id":1791681,"name":"Weifang","country":"CN","admin1":"25","population":2044028,"latitude":36.71,"longitude":119.10194,"timezone":"Asia/Shanghai","alternateNames":["Duy Phường","Вейфан","웨이팡 시"]}
    {"id":1792947,"name":"Tianjin","country":"CN","admin1":"28","population":11090314,"latitude":39.14222,"longitude":117.17667,"timezone":"Asia/Shanghai","alternateNames":["Tianjín","Tjaņdziņa","ടിയാൻജിൻ"]}
    {"id":1793346,"name":"Tangshan","country":"CN","admin1":"10","population":3372102,"latitude":39.64381,"longitude":118.18319,"timezone":"Asia/Shanghai","alternateNames":["Tangŝano","Tángshān","ടാങ്ഷാൻ"]}
    {"id":1793505,"name":"Taizhou","country":"CN","admin1":"04","population":1607108,"latitude":32.49069,"longitude":119.90812,"timezone":"Asia/Shanghai","alternateNames":["Tajchzhou","Tajĝou","تایژو"]}
    {"id":1793511,"name":"Taiyuan","country":"CN","admin1":"24","population":4303673,"latitude":37.86944,"longitude":112.56028,"timezone":"Asia/Shanghai","alternateNames":["Yangkü","تائی‌یوان","ไท่หยวน"]}
    {"id":1793724,"name":"Tai’an","country":"CN","admin1":"25","population":1735425,"latitude":36.18528,"longitude":117.12,"timezone":"Asia/Shanghai","alternateNames":["Tajan'","Тайань","泰安市"]}
    {"id":1793743,"name":"Suzhou","country":"CN","admin1":"01","population":1647642,"latitude":33.63611,"longitude":116.97889,"timezone":"Asia/Shanghai","alternateNames":["Suxian","Сучжоу","شيۇجۇ شەھىرى"]}
    {"id":1793771,"name":"Suqian","country":"CN","admin1":"04","population":1437685,"latitude":33.94917,"longitude":118.29583,"timezone":"Asia/Shanghai","alternateNames":["Su-ch’ien-ch’eng","Sutsien","宿迁市"]}
    {"id":1794035,"name":"Songjiang","country":"CN","admin1":"23","population":1973500,"latitude":31.03443,"longitude":121.22326,"timezone":"Asia/Shanghai","alternateNames":["Sunchiang","Sung-chiang-hsien","松江"]}
    {"id":1794903,"name":"Shiyan","country":"CN","admin1":"12","population":3460000,"latitude":32.6475,"longitude":110.77806,"timezone":"Asia/Shanghai","alternateNames":["Sĕk-iēng","Š-jen","스옌 시"]}
    {"id":1795270,"name":"Shijiazhuang","country":"CN","admin1":"10","population":3938513,"latitude":38.04139,"longitude":114.47861,"timezone":"Asia/Shanghai","alternateNames":["Chio̍h-ka-chng-chhī","Šidžjadžuang","石家荘市"]}
    {"id":1795565,"name":"Shenzhen","country":"CN","admin1":"30","population":17494398,"latitude":22.54554,"longitude":114.0683,"timezone":"Asia/Shanghai","alternateNames":["Shēnzhèn","षेंचेन","ਸ਼ੈਨਜ਼ੈਨ"]}
    {"id":1795855,"name":"Shaoxing","country":"CN","admin1":"02","population":2300000,"latitude":30.00237,"longitude":120.57864,"timezone":"Asia/Shanghai","alternateNames":["Shaoxing","Siêu-hĭng","绍兴市"]}
    {"id":1795940,"name":"Shantou","country":"CN","admin1":"30","population":3838900,"latitude":23.35489,"longitude":116.67876,"timezone":"Asia/Shanghai","alternateNames":["Ŝantoŭo","شانتو","ซัวเถา"]}
    {"id":1796134,"name":"Shangqiu","country":"CN","admin1":"09","population":1859723,"latitude":34.4143,"longitude":115.65613,"timezone":"Asia/Shanghai","alternateNames":["Shang-ch'in","Shang-ch’iu","商丘"]}
    {"id":1796236,"name":"Shanghai","country":"CN","admin1":"23","population":24874500,"latitude":31.22222,"longitude":121.45806,"timezone":"Asia/Shanghai","alternateNames":["Thượng Hải","Šangaj","சாங்காய்"]}
    {"id":1797121,"name":"Jieyang","country":"CN","admin1":"30","population":1899394,"latitude":23.5418,"longitude":116.36581,"timezone":"Asia/Shanghai","alternateNames":["Kiat-iông-chhī","Rongcheng","掲陽市"]}
    {"id":1797353,"name":"Quanzhou","country":"CN","admin1":"07","population":1469157,"latitude":24.91389,"longitude":118.58583,"timezone":"Asia/Shanghai","alternateNames":["Chôan-chiu-chhī","Zayton","泉州市"]}
    {"id":1797658,"name":"Jinjiang","country":"CN","admin1":"07","population":1416151,"latitude":24.81978,"longitude":118.57415,"timezone":"Asia/Shanghai","alternateNames":["Tsìn-kông-sṳ","Цзиньцзян","青阳"]}
    {"id":1797873,"name":"Huai'an","country":"CN","admin1":"04","population":2494013,"latitude":33.58861,"longitude":119.01917,"timezone":"Asia/Shanghai","alternateNames":["Ch’ing-chiang-p’u","Huái'ān","화이안시"]}
    {"id":1797929,"name":"Qingdao","country":"CN","admin1":"25","population":7172451,"latitude":36.06488,"longitude":120.38042,"timezone":"Asia/Shanghai","alternateNames":["Čching-tao","Čingdao","צינגדאו"]}
    {"id":1797945,"name":"Qingyuan","country":"CN","admin1":"30","population":1738424,"latitude":23.7,"longitude":113.03333,"timezone":"Asia/Shanghai","alternateNames":["Chhîn-yén-sṳ","Цинъюань","清远市"]}
    {"id":1798425,"name":"Puyang","country":"CN","admin1":"02","population":3590000,"latitude":29.45679,"longitude":119.88872,"timezone":"Asia/Shanghai","alternateNames":["Puyang Jiedao","P’u-yang-chen","浦阳"]}
    {"id":1798449,"name":"Putian","country":"CN","admin1":"07","population":1539389,"latitude":25.43944,"longitude":119.01028,"timezone":"Asia/Shanghai","alternateNames":["P'u-t'ien-hsien","Phô͘-chhân-chhī","莆田"]}
    {"id":1798524,"name":"Pudong","country":"CN","admin1":"23","population":5681512,"latitude":31.23995,"longitude":121.50094,"timezone":"Asia/Shanghai","alternateNames":["Phố Đông","P’u-tung","pu dong"]}
    {"id":1799397,"name":"Ningbo","country":"CN","admin1":"02","population":3731203,"latitude":29.87819,"longitude":121.54945,"timezone":"Asia/Shanghai","alternateNames":["Lêng-pho-chhī","Ningbó","หนิงปัว"]}
    {"id":1799629,"name":"Nanyang","country":"CN","admin1":"09","population":1811812,"latitude":33.00524,"longitude":112.54659,"timezone":"Asia/Shanghai","alternateNames":["Nam Dương","Nan-jang","南陽"]}
    {"id":1799722,"name":"Nantong","country":"CN","admin1":"04","population":2273326,"latitude":32.03028,"longitude":120.87472,"timezone":"Asia/Shanghai","alternateNames":["Nam Thông","Нантунг","南通市"]}
    {"id":1799869,"name":"Nanning","country":"CN","admin1":"16","population":3839800,"latitude":22.81667,"longitude":108.31667,"timezone":"Asia/Shanghai","alternateNames":["Naņnina","naniga","নানিং"]}
    {"id":1799962,"name":"Nanjing","country":"CN","admin1":"04","population":9314685,"latitude":32.06167,"longitude":118.77778,"timezone":"Asia/Shanghai","alternateNames":["Nanquín","நாஞ்சிங்","နန်ကျင်းမြို့"]}
    {"id":1800146,"name":"Nanchong","country":"CN","admin1":"32","population":1858875,"latitude":30.79508,"longitude":106.08473,"timezone":"Asia/Shanghai","alternateNames":["Lâm-chhiong-chhī","Nàng-chṳ̆ng","Shun-ch’ing"]}
    {"id":1800163,"name":"Nanchang","country":"CN","admin1":"03","population":2357839,"latitude":28.68396,"longitude":115.85306,"timezone":"Asia/Shanghai","alternateNames":["Nançan","nanacham","নানছাং"]}
    {"id":1800480,"name":"Minhang","country":"CN","admin1":"23","population":2716600,"latitude":31.10881,"longitude":121.37471,"timezone":"Asia/Shanghai","alternateNames":["Ming-hang","Shang-hai","闵行"]}
    {"id":1800627,"name":"Mianyang","country":"CN","admin1":"32","population":1550000,"latitude":31.46784,"longitude":104.68168,"timezone":"Asia/Shanghai","alternateNames":["Biân-iông-chhī","Миенян","몐양 시"]}
    {"id":1802206,"name":"Lu’an","country":"CN","admin1":"01","population":1644344,"latitude":31.73561,"longitude":116.51688,"timezone":"Asia/Shanghai","alternateNames":["Luan'","Lu’an Shi","Луань"]}
    {"id":1803300,"name":"Liuzhou","country":"CN","admin1":"16","population":1436599,"latitude":24.32405,"longitude":109.40698,"timezone":"Asia/Shanghai","alternateNames":["Liou-čou","Liǔzhōu","lywg'wʼw"]}
    {"id":1803318,"name":"Linyi","country":"CN","admin1":"25","population":2743843,"latitude":35.06306,"longitude":118.34278,"timezone":"Asia/Shanghai","alternateNames":["Lin-i-shih","Lâm Nghi","لنیی"]}
    {"id":1804430,"name":"Lanzhou","country":"CN","admin1":"15","population":3000000,"latitude":36.05701,"longitude":103.83987,"timezone":"Asia/Shanghai","alternateNames":["Landžou","Ланьчжоу шаары","लान्झू"]}
    {"id":1804651,"name":"Kunming","country":"CN","admin1":"29","population":3855346,"latitude":25.03889,"longitude":102.71833,"timezone":"Asia/Shanghai","alternateNames":["Khun-bêng-chhī","كونمينغ","คุนหมิง"]}
    {"id":1804879,"name":"Kaifeng","country":"CN","admin1":"09","population":1451741,"latitude":34.7986,"longitude":114.30742,"timezone":"Asia/Shanghai","alternateNames":["Kăi-hŭng","کایفنگ","ไคเฟิง"]}
    {"id":1805528,"name":"Jinhua","country":"CN","admin1":"02","population":1463990,"latitude":29.10678,"longitude":119.64421,"timezone":"Asia/Shanghai","alternateNames":["Gĭng-huà","Kim-hoâ-chhī","진화 시"]}
    {"id":1805753,"name":"Jinan","country":"CN","admin1":"25","population":4335989,"latitude":36.66833,"longitude":116.99722,"timezone":"Asia/Shanghai","alternateNames":["Chè-lâm-chhī","Tế Nam","גינאן"]}
    {"id":1806299,"name":"Jiangmen","country":"CN","admin1":"30","population":1795459,"latitude":22.58333,"longitude":113.08333,"timezone":"Asia/Shanghai","alternateNames":["Kang-mn̂g-chhī","Ĝjanmen","Цзянмынь"]}
    {"id":1806508,"name":"Jiading","country":"CN","admin1":"23","population":1886100,"latitude":31.38575,"longitude":121.24465,"timezone":"Asia/Shanghai","alternateNames":["Chia-ting","Jiading","嘉定镇"]}
    {"id":1806602,"name":"Cixi","country":"CN","admin1":"02","population":1457510,"latitude":30.1764,"longitude":121.2457,"timezone":"Asia/Shanghai","alternateNames":["Tz’u-hsi","ci xi shi","慈溪"]}
    {"id":1806776,"name":"Huizhou","country":"CN","admin1":"30","population":2900113,"latitude":23.11147,"longitude":114.41523,"timezone":"Asia/Shanghai","alternateNames":["Hui-chou-ch’eng","Hūi-chiu-chhī","هویژو"]}
    {"id":1807681,"name":"Huainan","country":"CN","admin1":"01","population":1666826,"latitude":32.62639,"longitude":116.99694,"timezone":"Asia/Shanghai","alternateNames":["Huainan","huai nan shi","淮南市"]}
    {"id":1808722,"name":"Hefei","country":"CN","admin1":"01","population":5050000,"latitude":31.86389,"longitude":117.28083,"timezone":"Asia/Shanghai","alternateNames":["Hăk-bùi","Хэфэй","हेफ़ेई"]}
    {"id":1808926,"name":"Hangzhou","country":"CN","admin1":"02","population":9236032,"latitude":30.29365,"longitude":120.16142,"timezone":"Asia/Shanghai","alternateNames":["Hòng-chû-sṳ","Χανγκτσόου","ਹਾਂਙਚੋ"]}
    {"id":1809078,"name":"Haikou","country":"CN","admin1":"31","population":2873358,"latitude":20.03421,"longitude":110.34651,"timezone":"Asia/Shanghai","alternateNames":["Hai-k’ou-shih","Hāi-kāu","ཧའེ་ཁོའུ་གྲོང་ཁྱེར།"]}
    {"id":1809461,"name":"Guiyang","country":"CN","admin1":"18","population":3037159,"latitude":26.58333,"longitude":106.71667,"timezone":"Asia/Shanghai","alternateNames":["Gŭijango","Ґуйян","贵阳"]}
    {"id":1809498,"name":"Guilin","country":"CN","admin1":"16","population":1572300,"latitude":25.28022,"longitude":110.29639,"timezone":"Asia/Shanghai","alternateNames":["Kui-lìm-sṳ","Гуйлинь","गुइलिन"]}
    {"id":1809858,"name":"Guangzhou","country":"CN","admin1":"30","population":16096724,"latitude":23.11667,"longitude":113.25,"timezone":"Asia/Shanghai","alternateNames":["Fan-yü","ग्वांगझोउ","গুয়ংঝো"]}
    {"id":1810638,"name":"Ganzhou","country":"CN","admin1":"03","population":1977253,"latitude":25.84664,"longitude":114.9326,"timezone":"Asia/Shanghai","alternateNames":["Kan-čou","Kàm-chû-sṳ","gʼngwʼw"]}
    {"id":1810821,"name":"Fuzhou","country":"CN","admin1":"07","population":3740000,"latitude":26.06139,"longitude":119.30611,"timezone":"Asia/Shanghai","alternateNames":["Fuçjou","Φουτσόου","ፉzoው"]}
    {"id":1810845,"name":"Fuyang","country":"CN","admin1":"01","population":1768947,"latitude":32.9,"longitude":115.81667,"timezone":"Asia/Shanghai","alternateNames":["Hū-iông-chhī","Paiu-iong","Ֆույան"]}
    {"id":1811103,"name":"Foshan","country":"CN","admin1":"30","population":9042509,"latitude":23.02677,"longitude":113.13148,"timezone":"Asia/Shanghai","alternateNames":["Fo-šan","Hŭk-săng","포산 시"]}
    {"id":1812545,"name":"Dongguan","country":"CN","admin1":"30","population":9644871,"latitude":23.01797,"longitude":113.74866,"timezone":"Asia/Shanghai","alternateNames":["Tong-kóan-chhī","Ντογκουάν","둥관 시"]}
    {"id":1813325,"name":"Dazhou","country":"CN","admin1":"32","population":1589435,"latitude":31.2106,"longitude":107.46308,"timezone":"Asia/Shanghai","alternateNames":["Dăk-ciŭ","Đạt Châu","다저우 시"]}
    {"id":1814087,"name":"Dalian","country":"CN","admin1":"19","population":4913879,"latitude":38.91222,"longitude":121.60222,"timezone":"Asia/Shanghai","alternateNames":["Lüta","Ta-lien-shih","دالیان"]}
    {"id":1814870,"name":"Yiwu","country":"CN","admin1":"02","population":1481384,"latitude":29.31506,"longitude":120.07676,"timezone":"Asia/Shanghai","alternateNames":["Yiwu","Иу","義烏縣"]}
    {"id":1814906,"name":"Chongqing","country":"CN","admin1":"33","population":7457599,"latitude":29.56026,"longitude":106.55771,"timezone":"Asia/Shanghai","alternateNames":["Yü-chou","Čchung-čching","ചോങ്ചിങ്"]}
    {"id":1815251,"name":"Jiangyin","country":"CN","admin1":"04","population":1779515,"latitude":31.91102,"longitude":120.26302,"timezone":"Asia/Shanghai","alternateNames":["Chiang-yin","Chiang-yin-ch’eng","江阴市"]}
    {"id":1815286,"name":"Chengdu","country":"CN","admin1":"32","population":13568357,"latitude":30.66667,"longitude":104.06667,"timezone":"Asia/Shanghai","alternateNames":["Ĉengduo","ਚੇਂਗਦੂ","청두 시"]}
    {"id":1815395,"name":"Chaozhou","country":"CN","admin1":"30","population":1750945,"latitude":23.65396,"longitude":116.62262,"timezone":"Asia/Shanghai","alternateNames":["Triều Châu","Чаочжоу","차오저우 시"]}
    {"id":1815456,"name":"Changzhou","country":"CN","admin1":"04","population":3290918,"latitude":31.77359,"longitude":119.95401,"timezone":"Asia/Shanghai","alternateNames":["Ch’ang-chou","Čchang-čou","چاڭجو شەھىر"]}
    {"id":1815577,"name":"Changsha","country":"CN","admin1":"11","population":3093980,"latitude":28.19874,"longitude":112.97087,"timezone":"Asia/Shanghai","alternateNames":["Diòng-să","Τσανγκσά","ਛਾਂਙਸ਼ਾ"]}
    {"id":1816234,"name":"Bozhou","country":"CN","admin1":"01","population":1409436,"latitude":33.87722,"longitude":115.77028,"timezone":"Asia/Shanghai","alternateNames":["Bạc Châu","Po-hsien","亳州市"]}
    {"id":1816670,"name":"Beijing","country":"CN","admin1":"22","population":18960744,"latitude":39.9075,"longitude":116.39723,"timezone":"Asia/Shanghai","alternateNames":["Běijīng","ปักกิ่ง","པེ་ཅིང་གྲོང་ཁྱེར།"]}
    {"id":1816917,"name":"Baoshan","country":"CN","admin1":"23","population":2265900,"latitude":31.40845,"longitude":121.48956,"timezone":"Asia/Shanghai","alternateNames":["Pao-shan-ch’eng","bao shan","宝山"]}
    {"id":1816971,"name":"Baoding","country":"CN","admin1":"10","population":2739887,"latitude":38.87288,"longitude":115.46246,"timezone":"Asia/Shanghai","alternateNames":["Bảo Định","Ch'ing-yuan-hsien","Բաոդին"]}
    {"id":1886760,"name":"Suzhou","country":"CN","admin1":"04","population":6715559,"latitude":31.30408,"longitude":120.59538,"timezone":"Asia/Shanghai","alternateNames":["Su-čou","Սուչժոու","سوژو"]}
    {"id":2034937,"name":"Shenyang","country":"CN","admin1":"19","population":7050000,"latitude":41.79222,"longitude":123.43278,"timezone":"Asia/Shanghai","alternateNames":["Sīng-iòng","שן-יאנג","심양"]}
    {"id":2036502,"name":"Jilin","country":"CN","admin1":"05","population":1895865,"latitude":43.84652,"longitude":126.5608,"timezone":"Asia/Shanghai","alternateNames":["Cát Lâm","Džilin","גילין"]}
    {"id":2036892,"name":"Hohhot","country":"CN","admin1":"20","population":2350000,"latitude":40.81056,"longitude":111.65222,"timezone":"Asia/Shanghai","alternateNames":["Hoĥoto","Hu-ho-hao-t’e-shih","ᠬᠥᠬᠡᠬᠣᠲᠠ"]}
    {"id":2037013,"name":"Harbin","country":"CN","admin1":"08","population":5242897,"latitude":45.75,"longitude":126.65,"timezone":"Asia/Shanghai","alternateNames":["Harbin-chhī","ხარბინი","ሃርቢን"]}
    {"id":2037799,"name":"Datong","country":"CN","admin1":"24","population":1850000,"latitude":40.09361,"longitude":113.29139,"timezone":"Asia/Shanghai","alternateNames":["Ta-t'ung-hsien","Đại Đồng","大同市"]}
    {"id":2037860,"name":"Daqing","country":"CN","admin1":"08","population":1604027,"latitude":46.58333,"longitude":125.0,"timezone":"Asia/Shanghai","alternateNames":["Dâi-kéng","Ta-čching","다칭 시"]}
    {"id":2038180,"name":"Changchun","country":"CN","admin1":"05","population":4714996,"latitude":43.88,"longitude":125.32278,"timezone":"Asia/Shanghai","alternateNames":["Diòng-chŭng","Čchang-čchun","צאנגצון"]}
    {"id":2038432,"name":"Baotou","country":"CN","admin1":"20","population":2150000,"latitude":40.6516,"longitude":109.84389,"timezone":"Asia/Shanghai","alternateNames":["Pau-thâu-chhī","Баатоў","ਬਾਓਟੂ"]}
    {"id":2038632,"name":"Anshan","country":"CN","admin1":"19","population":1450000,"latitude":41.12361,"longitude":122.99,"timezone":"Asia/Shanghai","alternateNames":["An Sơn","Anxan","انشان"]}
    {"id":6986104,"name":"Zhongshan","country":"CN","admin1":"30","population":3841873,"latitude":22.52306,"longitude":113.37912,"timezone":"Asia/Shanghai","alternateNames":["Chûng-sân-sṳ","jungsan si","Čung-šan"]}
    {"id":7283386,"name":"Changshu","country":"CN","admin1":"04","population":1677050,"latitude":31.64615,"longitude":120.74221,"timezone":"Asia/Shanghai","alternateNames":[]}
    {"id":8347664,"name":"Ordos","country":"CN","admin1":"20","population":1940653,"latitude":39.6086,"longitude":109.78157,"timezone":"Asia/Shanghai","alternateNames":["e er duo si shi","オルドス市","鄂尔多斯市"]}
    {"id":8400694,"name":"Taizhou","country":"CN","admin1":"02","population":1485502,"latitude":28.66266,"longitude":121.43312,"timezone":"Asia/Shanghai","alternateNames":["Tchaj-čou","Thòi-chû-sṳ","타이저우 시"]}
    {"id":10859300,"name":"Lianyungang","country":"CN","admin1":"04","population":2001009,"latitude":34.59845,"longitude":119.21556,"timezone":"Asia/Shanghai","alternateNames":["Liányúngǎng","lian yun gang shi","連雲港"]}
    {"id":10942359,"name":"Baoji","country":"CN","admin1":"26","population":1437802,"latitude":34.36775,"longitude":107.23705,"timezone":"Asia/Shanghai","alternateNames":["Bǎojī","Баоцзи","바오지 시"]}
    {"id":11072148,"name":"Puxi","country":"CN","admin1":"23","population":6683712,"latitude":31.24414,"longitude":121.46592,"timezone":"Asia/Shanghai","alternateNames":["pu xi","浦西"]}
    {"id":11838258,"name":"Bayan Nur","country":"CN","admin1":"20","population":1760000,"latitude":40.74143,"longitude":107.38599,"timezone":"Asia/Shanghai","alternateNames":["ba yan nao er shi","巴彦淖尔市"]}
    {"id":11995100,"name":"Bazhong","country":"CN","admin1":"32","population":2712894,"latitude":31.8694,"longitude":106.74432,"timezone":"Asia/Shanghai","alternateNames":["Bāzhōng","Бачжун","巴中市"]}
    {"id":12358576,"name":"Wanzhou","country":"CN","admin1":"33","population":1545900,"latitude":30.76451,"longitude":108.39586,"timezone":"Asia/Shanghai","alternateNames":["wan zhou qu","万州区"]}
    {"id":12359313,"name":"Qingyang","country":"CN","admin1":"15","population":2125400,"latitude":35.70976,"longitude":107.64455,"timezone":"Asia/Shanghai","alternateNames":["qing yang shi","庆阳"]}
    {"id":13308620,"name":"Bao'an","country":"CN","admin1":"30","population":4476554,"latitude":22.55213,"longitude":113.88288,"timezone":"Asia/Shanghai","alternateNames":[]}
    {"id":13512505,"name":"Lüliang","country":"CN","admin1":"24","population":3346500,"latitude":37.5192,"longitude":111.14436,"timezone":"Asia/Shanghai","alternateNames":["lu liang shi","吕梁市"]}
    {"id":3674962,"name":"Medellín","country":"CO","admin1":"02","population":1999979,"latitude":6.245,"longitude":-75.57151,"timezone":"America/Bogota","alternateNames":["Medellín","Меделин","मेदेयीन"]}
    {"id":3687925,"name":"Cali","country":"CO","admin1":"29","population":2392877,"latitude":3.43054,"longitude":-76.5199,"timezone":"America/Bogota","alternateNames":["Cáli","ਕਾਲੀ","칼리"]}
    {"id":3688689,"name":"Bogotá","country":"CO","admin1":"34","population":7674366,"latitude":4.60971,"longitude":-74.08175,"timezone":"America/Bogota","alternateNames":["Santafé de Bogotá","ବୋଗୋଟା","ဘိုဂိုတာမြို့"]}
    {"id":3553478,"name":"Havana","country":"CU","admin1":"02","population":2163824,"latitude":23.13302,"longitude":-82.38304,"timezone":"America/Havana","alternateNames":["ŁAvana","Һавана","हवाना"]}
    {"id":3513090,"name":"Willemstad","country":"CW","admin1":null,"population":125000,"latitude":12.12246,"longitude":-68.88641,"timezone":"America/Curacao","alternateNames":["Villemştad","Willemstêd","ウィレムスタット"]}
    {"id":2818067,"name":"Uetersen","country":"DE","admin1":"10","population":17921,"latitude":53.68878,"longitude":9.66197,"timezone":"Europe/Berlin","alternateNames":["Īterzens","於特森","𐌿𐌴𐍄𐌴𐍂𐍃𐌴𐌽"]}
    {"id":2867543,"name":"Münster","country":"DE","admin1":"07","population":308258,"latitude":51.96236,"longitude":7.62571,"timezone":"Europe/Berlin","alternateNames":["Münster / Nordrhein-Westf.","Мюнстэр","მიუნსტერი"]}
    {"id":2867714,"name":"Munich","country":"DE","admin1":"02","population":1505005,"latitude":48.13743,"longitude":11.57549,"timezone":"Europe/Berlin","alternateNames":["MUC","Monaco di Baviera","Muenchen","Munique","Mùnich ëd Baviera","München","Münih","mynkn","Μόναχο","Мюнхен","म्यूनिख","慕尼黑"]}
    {"id":2886242,"name":"Köln","country":"DE","admin1":"07","population":1024621,"latitude":50.93333,"longitude":6.95,"timezone":"Europe/Berlin","alternateNames":["Kolín nad Rýnem","Këlni","கோல்ன்"]}
    {"id":2911298,"name":"Hamburg","country":"DE","admin1":"04","population":1973896,"latitude":53.55073,"longitude":9.99302,"timezone":"Europe/Berlin","alternateNames":["Hambûrg","Гамбурґ","汉堡"]}
    {"id":2950159,"name":"Berlin","country":"DE","admin1":"16","population":3426354,"latitude":52.52437,"longitude":13.41053,"timezone":"Europe/Berlin","alternateNames":["Berlín","برلين","เบอร์ลิน"]}
    {"id":3492908,"name":"Santo Domingo","country":"DO","admin1":"34","population":2201941,"latitude":18.47186,"longitude":-69.89232,"timezone":"America/Santo_Domingo","alternateNames":["Santo Domingo de Guzmán","Santo-Domingo","聖多明哥"]}
    {"id":2507480,"name":"Algiers","country":"DZ","admin1":"01","population":2364230,"latitude":36.73225,"longitude":3.08746,"timezone":"Africa/Algiers","alternateNames":["Argièr","அல்ஜியர்ஸ்","แอลเจียร์"]}
    {"id":3652462,"name":"Quito","country":"EC","admin1":"18","population":2781641,"latitude":-0.22985,"longitude":-78.52495,"timezone":"America/Guayaquil","alternateNames":["கித்தோ","ക്വിറ്റോ","キト"]}
    {"id":3657509,"name":"Guayaquil","country":"EC","admin1":"10","population":2723665,"latitude":-2.19616,"longitude":-79.88621,"timezone":"America/Guayaquil","alternateNames":["Γουαγιακίλ","ਗੁਆਇਆਕੀਲ","გუაიაკილი"]}
    {"id":360630,"name":"Cairo","country":"EG","admin1":"11","population":9606916,"latitude":30.06263,"longitude":31.24967,"timezone":"Africa/Cairo","alternateNames":["Kaïro","কায়রো","ካይሮ"]}
    {"id":360995,"name":"Giza","country":"EG","admin1":"08","population":4367343,"latitude":30.00944,"longitude":31.20861,"timezone":"Africa/Cairo","alternateNames":["Al Jīzah","Guiza","الجيزة"]}
    {"id":361058,"name":"Alexandria","country":"EG","admin1":"06","population":5263542,"latitude":31.20176,"longitude":29.91582,"timezone":"Africa/Cairo","alternateNames":["Iskindirîya","Αλεξάνδρεια","ალექსანდრია"]}
    {"id":3117735,"name":"Madrid","country":"ES","admin1":"29","population":3255944,"latitude":40.4165,"longitude":-3.70256,"timezone":"Europe/Madrid","alternateNames":["Mā-dáik-lī","മാഡ്രിഡ്","မဒရစ်မြို့"]}
    {"id":3128760,"name":"Barcelona","country":"ES","admin1":"56","population":1686208,"latitude":41.38879,"longitude":2.15899,"timezone":"Europe/Madrid","alternateNames":["Barcelůna","Βαρκελώνη","ბარსელონა"]}
    {"id":344979,"name":"Addis Ababa","country":"ET","admin1":"44","population":3860000,"latitude":9.02497,"longitude":38.74689,"timezone":"Africa/Addis_Ababa","alternateNames":["Əddis-Əbəbə","Адис Абеба","अदिस अबाबा"]}
    {"id":3426691,"name":"Stanley","country":"FK","admin1":"00","population":2213,"latitude":-51.69382,"longitude":-57.85701,"timezone":"Atlantic/Stanley","alternateNames":["סטנלי","സ്റ്റാൻലി","スタンリー"]}
    {"id":2984114,"name":"Reims","country":"FR","admin1":"44","population":196565,"latitude":49.26526,"longitude":4.02853,"timezone":"Europe/Paris","alternateNames":["Remeš","Реймс","兰斯"]}
    {"id":2988507,"name":"Paris","country":"FR","admin1":"11","population":2138551,"latitude":48.85341,"longitude":2.3488,"timezone":"Europe/Paris","alternateNames":["Parīze","ប៉ារីស","パリ"]}
    {"id":2998632,"name":"L'Haÿ-les-Roses","country":"FR","admin1":"11","population":29703,"latitude":48.77935,"longitude":2.33729,"timezone":"Europe/Paris","alternateNames":["L'Hay","L'Hay-les-Roses","L'Haÿ-les-Roses"]}
    {"id":2643743,"name":"London","country":"GB","admin1":"ENG","population":8961989,"latitude":51.50853,"longitude":-0.12574,"timezone":"Europe/London","alternateNames":["Lùn-tûn","ਲੰਡਨ","લંડન"]}
    {"id":8224783,"name":"Stanley","country":"GB","admin1":"ENG","population":31300,"latitude":54.86796,"longitude":-1.69846,"timezone":"Europe/London","alternateNames":[]}
    {"id":2298890,"name":"Kumasi","country":"GH","admin1":"02","population":2544530,"latitude":6.68848,"longitude":-1.62443,"timezone":"Africa/Accra","alternateNames":["Kumaso","Кумаси шаары","库马西"]}
    {"id":2306104,"name":"Accra","country":"GH","admin1":"01","population":1963264,"latitude":5.55602,"longitude":-0.1969,"timezone":"Africa/Accra","alternateNames":["Aakrá","อักกรา","ཨ་ཁ་ར།"]}
    {"id":2422465,"name":"Conakry","country":"GN","admin1":"04","population":1928389,"latitude":9.53795,"longitude":-13.67729,"timezone":"Africa/Conakry","alternateNames":["Κόνακρι","קונאקרי","코나크리"]}
    {"id":2422488,"name":"Camayenne","country":"GN","admin1":"04","population":1871242,"latitude":9.535,"longitude":-13.68778,"timezone":"Africa/Conakry","alternateNames":["Camayen","Camayenne"]}
    {"id":1819609,"name":"Kowloon","country":"HK","admin1":"00","population":2232339,"latitude":22.31667,"longitude":114.18333,"timezone":"Asia/Hong_Kong","alternateNames":["Цзюлун","九龍","주룽"]}
    {"id":1819729,"name":"Hong Kong","country":"HK","admin1":null,"population":7396076,"latitude":22.27832,"longitude":114.17469,"timezone":"Asia/Hong_Kong","alternateNames":["Hồng Kông","Χονγκ Κονγκ","હોંગકોંગ"]}
    {"id":12747063,"name":"New Territories","country":"HK","admin1":"00","population":3984077,"latitude":22.42441,"longitude":114.11095,"timezone":"Asia/Hong_Kong","alternateNames":["New Territories","Xinjie","新界"]}
    {"id":3054643,"name":"Budapest","country":"HU","admin1":"05","population":1741041,"latitude":47.49835,"longitude":19.04045,"timezone":"Europe/Budapest","alternateNames":["Búdaipeist","ବୁଦାପେଷ୍ଟ","ဗူးဒပက်မြို့"]}
    {"id":1214520,"name":"Medan","country":"ID","admin1":"26","population":2486283,"latitude":3.58333,"longitude":98.66667,"timezone":"Asia/Jakarta","alternateNames":["Kuta Mèdan","ميدان","เมดาน"]}
    {"id":1622786,"name":"Makassar","country":"ID","admin1":"38","population":1474393,"latitude":-5.14861,"longitude":119.43194,"timezone":"Asia/Makassar","alternateNames":["makasaleu","Макассар","마카사르"]}
    {"id":1625084,"name":"Tangerang","country":"ID","admin1":"33","population":1927815,"latitude":-6.17806,"longitude":106.63,"timezone":"Asia/Jakarta","alternateNames":["Dāng gé lǎng","تانگرانگ","ᮒᮍᮛ"]}
    {"id":1625822,"name":"Surabaya","country":"ID","admin1":"08","population":3018022,"latitude":-7.24917,"longitude":112.75083,"timezone":"Asia/Jakarta","alternateNames":["Сурабая","სურაბაია","泗水"]}
    {"id":1627896,"name":"Semarang","country":"ID","admin1":"07","population":1694740,"latitude":-6.99306,"longitude":110.42083,"timezone":"Asia/Jakarta","alternateNames":["smrʼng","செமாராங்","เซมารัง"]}
    {"id":1633070,"name":"Palembang","country":"ID","admin1":"32","population":1801367,"latitude":-2.91673,"longitude":104.7458,"timezone":"Asia/Jakarta","alternateNames":["Pelémbang","Палембанг","旧港"]}
    {"id":1642911,"name":"Jakarta","country":"ID","admin1":"04","population":8540121,"latitude":-6.21462,"longitude":106.84513,"timezone":"Asia/Jakarta","alternateNames":["Jakartè","జకార్తా","จาการ์ตา"]}
    {"id":1645524,"name":"Depok","country":"ID","admin1":"30","population":2163635,"latitude":-6.4,"longitude":106.81861,"timezone":"Asia/Jakarta","alternateNames":["Dèpok","דפוק","デポック"]}
    {"id":1649378,"name":"Bekasi","country":"ID","admin1":"30","population":2648272,"latitude":-6.2349,"longitude":106.9896,"timezone":"Asia/Jakarta","alternateNames":["בקאסי","بکاسی","ブカシ"]}
    {"id":1650357,"name":"Bandung","country":"ID","admin1":"30","population":2528163,"latitude":-6.92222,"longitude":107.60694,"timezone":"Asia/Jakarta","alternateNames":["באנדונג","バンドン","반둥"]}
    {"id":8581443,"name":"South Tangerang","country":"ID","admin1":"33","population":1429529,"latitude":-6.28862,"longitude":106.71789,"timezone":"Asia/Jakarta","alternateNames":["South Tangerang","South Tangerang City","Tangerang Selatan"]}
    {"id":1253573,"name":"Vadodara","country":"IN","admin1":"09","population":1822221,"latitude":22.29941,"longitude":73.20812,"timezone":"Asia/Kolkata","alternateNames":["Vadódara","Вадодарæ","瓦多達拉"]}
    {"id":1254361,"name":"Tirunelveli","country":"IN","admin1":"25","population":1435844,"latitude":8.72742,"longitude":77.6838,"timezone":"Asia/Kolkata","alternateNames":["Тирунелвели","तिरूनेलवेली","તિરુનેલવેલી"]}
    {"id":1254661,"name":"Thāne","country":"IN","admin1":"16","population":1841488,"latitude":19.19704,"longitude":72.96355,"timezone":"Asia/Kolkata","alternateNames":["Thane","Thāne","塔那"]}
    {"id":1255364,"name":"Surat","country":"IN","admin1":"09","population":4591246,"latitude":21.19594,"longitude":72.83023,"timezone":"Asia/Kolkata","alternateNames":["Surato","Sūrat","சூரத்"]}
    {"id":1258393,"name":"Rasapūdipalem","country":"IN","admin1":"02","population":1728128,"latitude":17.73308,"longitude":83.31622,"timezone":"Asia/Kolkata","alternateNames":["Rasapūdipalem","Raspari Palao","Visakhapatnam"]}
    {"id":1259229,"name":"Pune","country":"IN","admin1":"16","population":3124458,"latitude":18.51957,"longitude":73.85535,"timezone":"Asia/Kolkata","alternateNames":["Púne","pwna","পুণে"]}
    {"id":1260086,"name":"Patna","country":"IN","admin1":"34","population":1684297,"latitude":25.59408,"longitude":85.13563,"timezone":"Asia/Kolkata","alternateNames":["'Azimabad","পাটনা","巴特那"]}
    {"id":1261731,"name":"Nashik","country":"IN","admin1":"16","population":1486053,"latitude":19.99727,"longitude":73.79096,"timezone":"Asia/Kolkata","alternateNames":["Nászik","Нашік","纳西克"]}
    {"id":1262180,"name":"Nagpur","country":"IN","admin1":"16","population":2405665,"latitude":21.14631,"longitude":79.08491,"timezone":"Asia/Kolkata","alternateNames":["Nāgpura","נאגפור","나그푸르"]}
    {"id":1264521,"name":"Madurai","country":"IN","admin1":"25","population":1465625,"latitude":9.919,"longitude":78.11953,"timezone":"Asia/Kolkata","alternateNames":["Maduráj","Мадурай","马杜赖"]}
    {"id":1264527,"name":"Chennai","country":"IN","admin1":"25","population":4681087,"latitude":13.08784,"longitude":80.27847,"timezone":"Asia/Kolkata","alternateNames":["Madrás","Čennai","ചെന്നൈ"]}
    {"id":1264728,"name":"Ludhiana","country":"IN","admin1":"23","population":1618879,"latitude":30.91204,"longitude":75.85379,"timezone":"Asia/Kolkata","alternateNames":["Ludhiāna","lwdhyʼnh","லூதியானா"]}
    {"id":1264733,"name":"Lucknow","country":"IN","admin1":"36","population":2472011,"latitude":26.83928,"longitude":80.92313,"timezone":"Asia/Kolkata","alternateNames":["Laknaŭo","இலக்னோ","లక్నో"]}
    {"id":1267995,"name":"Kanpur","country":"IN","admin1":"36","population":2823249,"latitude":26.46523,"longitude":80.34975,"timezone":"Asia/Kolkata","alternateNames":["Kānpwr","Κανπούρ","कानपुर"]}
    {"id":1269515,"name":"Jaipur","country":"IN","admin1":"24","population":3046163,"latitude":26.91962,"longitude":75.78781,"timezone":"Asia/Kolkata","alternateNames":["gʼypwr","Ĝajpuro","ജയ്‌പൂർ"]}
    {"id":1269743,"name":"Indore","country":"IN","admin1":"35","population":1994397,"latitude":22.71792,"longitude":75.8333,"timezone":"Asia/Kolkata","alternateNames":["indor","إندور","ఇండోర్"]}
    {"id":1269843,"name":"Hyderabad","country":"IN","admin1":"40","population":6993262,"latitude":17.38405,"longitude":78.45636,"timezone":"Asia/Kolkata","alternateNames":["Hyderābād","Хајдерабад","海得拉巴"]}
    {"id":1271951,"name":"Faridabad","country":"IN","admin1":"10","population":1414050,"latitude":28.41124,"longitude":77.31316,"timezone":"Asia/Kolkata","alternateNames":["Farídábád","QNF","Ֆարիդաբադ"]}
    {"id":1273294,"name":"Delhi","country":"IN","admin1":"07","population":11034555,"latitude":28.65195,"longitude":77.23149,"timezone":"Asia/Kolkata","alternateNames":["Delhí","Դելի","دلھی"]}
    {"id":1273865,"name":"Coimbatore","country":"IN","admin1":"25","population":2136916,"latitude":11.00555,"longitude":76.96612,"timezone":"Asia/Kolkata","alternateNames":["Koyamuttūr","कोइंबतूर","კოიამპუტური"]}
    {"id":1275004,"name":"Kolkata","country":"IN","admin1":"28","population":4631392,"latitude":22.56263,"longitude":88.36304,"timezone":"Asia/Kolkata","alternateNames":["Kalküta","Kəlkətə","keaൽkkatta"]}
    {"id":1275339,"name":"Mumbai","country":"IN","admin1":"16","population":12691836,"latitude":19.07283,"longitude":72.88261,"timezone":"Asia/Kolkata","alternateNames":["Bombėjus","মুম্বই","孟买"]}
    {"id":1275841,"name":"Bhopal","country":"IN","admin1":"35","population":1798218,"latitude":23.25469,"longitude":77.40289,"timezone":"Asia/Kolkata","alternateNames":["Bhopāl","בופאל","보팔"]}
    {"id":1277333,"name":"Bengaluru","country":"IN","admin1":"19","population":8495492,"latitude":12.97194,"longitude":77.59369,"timezone":"Asia/Kolkata","alternateNames":["Bengalúru","ബെംഗളൂരു","バンガロール"]}
    {"id":1279233,"name":"Ahmedabad","country":"IN","admin1":"09","population":6357693,"latitude":23.02579,"longitude":72.58727,"timezone":"Asia/Kolkata","alternateNames":["Ahmadābād","Αχμενταμπάντ","აჰმადაბადი"]}
    {"id":1279259,"name":"Agra","country":"IN","admin1":"36","population":1430055,"latitude":27.18333,"longitude":78.01667,"timezone":"Asia/Kolkata","alternateNames":["Āgrā","آگرہ","ஆக்ரா"]}
    {"id":6619347,"name":"Navi Mumbai","country":"IN","admin1":"16","population":2600000,"latitude":19.03681,"longitude":73.01582,"timezone":"Asia/Kolkata","alternateNames":["נבי מומבאי","ನವೀ ಮುಂಬಯಿ","나비뭄바이"]}
    {"id":7626690,"name":"Pimpri-Chinchwad","country":"IN","admin1":"16","population":1727692,"latitude":18.61867,"longitude":73.80375,"timezone":"Asia/Kolkata","alternateNames":["Pimpri-Csincsvád","पिंपरी-चिंचवड","პიმპრი-ცინცვადი"]}
    {"id":12165956,"name":"Kallakurichi","country":"IN","admin1":"25","population":1682687,"latitude":11.73379,"longitude":78.95925,"timezone":"Asia/Kolkata","alternateNames":[]}
    {"id":95446,"name":"Erbil","country":"IQ","admin1":"11","population":1612700,"latitude":36.19117,"longitude":44.00943,"timezone":"Asia/Baghdad","alternateNames":["Arbīl","ھەولێر","𐎠𐎼𐎲𐎡𐎼𐎠𐏓"]}
    {"id":98182,"name":"Baghdad","country":"IQ","admin1":"07","population":7216000,"latitude":33.34058,"longitude":44.40088,"timezone":"Asia/Baghdad","alternateNames":["Baghdād","बगदाद","ባግዳድ"]}
    {"id":99071,"name":"Al Mawşil al Jadīdah","country":"IQ","admin1":"15","population":2065597,"latitude":36.33271,"longitude":43.10555,"timezone":"Asia/Baghdad","alternateNames":["Al Mawşil al Jadīdah","almwsl aljdydt","الموصل الجديدة"]}
    {"id":99072,"name":"Mosul","country":"IQ","admin1":"15","population":1683000,"latitude":36.335,"longitude":43.11889,"timezone":"Asia/Baghdad","alternateNames":["Musił","ܡܘܨܠ","മൊസൂൾ"]}
    {"id":388349,"name":"Al Başrah al Qadīmah","country":"IQ","admin1":"02","population":2015483,"latitude":30.50316,"longitude":47.81507,"timezone":"Asia/Baghdad","alternateNames":["Al Başrah al Qadīmah","Al Başrat al Qadīmah","البصرة القديمة"]}
    {"id":112931,"name":"Tehran","country":"IR","admin1":"26","population":7153309,"latitude":35.69439,"longitude":51.42151,"timezone":"Asia/Tehran","alternateNames":["Teerão","طهران","ཏེ་ཧི་རན​།"]}
    {"id":113646,"name":"Tabriz","country":"IR","admin1":"33","population":1424641,"latitude":38.08,"longitude":46.2919,"timezone":"Asia/Tehran","alternateNames":["Töwriz","ตาบริซ","ཊ་བི་རི་ཛ།"]}
    {"id":124665,"name":"Mashhad","country":"IR","admin1":"42","population":2307177,"latitude":36.29807,"longitude":59.60567,"timezone":"Asia/Tehran","alternateNames":["Mešhedas","Машҳад","馬什哈德"]}
    {"id":128747,"name":"Karaj","country":"IR","admin1":"44","population":1448075,"latitude":35.83266,"longitude":50.99155,"timezone":"Asia/Tehran","alternateNames":["Qaşabeh-e Karaj","כאראג","キャラジ"]}
    {"id":418863,"name":"Isfahan","country":"IR","admin1":"28","population":1547164,"latitude":32.65246,"longitude":51.67462,"timezone":"Asia/Tehran","alternateNames":["Isfahán","أصفهان","อิสฟาฮาน"]}
    {"id":3413829,"name":"Reykjavík","country":"IS","admin1":"39","population":118918,"latitude":64.13548,"longitude":-21.89541,"timezone":"Atlantic/Reykjavik","alternateNames":["Rėikjavėks","रेक्याविक","ሬይኪያቪክ"]}
    {"id":3169070,"name":"Rome","country":"IT","admin1":"07","population":2318895,"latitude":41.89193,"longitude":12.51133,"timezone":"Europe/Rome","alternateNames":["Róma","ܪܘܡܐ","โรม"]}
    {"id":1848354,"name":"Yokohama","country":"JP","admin1":"19","population":3777491,"latitude":35.43333,"longitude":139.65,"timezone":"Asia/Tokyo","alternateNames":["יוקוהמה","იოკოჰამა","요코하마 시"]}
    {"id":1850147,"name":"Tokyo","country":"JP","admin1":"40","population":9733276,"latitude":35.6895,"longitude":139.69171,"timezone":"Asia/Tokyo","alternateNames":["Tókýó","টোকিও","東京"]}
    {"id":1853909,"name":"Osaka","country":"JP","admin1":"32","population":2753862,"latitude":34.69379,"longitude":135.50107,"timezone":"Asia/Tokyo","alternateNames":["Ószaka","ওসাকা","大阪市"]}
    {"id":1856057,"name":"Nagoya","country":"JP","admin1":"01","population":2332176,"latitude":35.18147,"longitude":136.90641,"timezone":"Asia/Tokyo","alternateNames":["נגויה","なごやし","나고야 시"]}
    {"id":1857910,"name":"Kyoto","country":"JP","admin1":"22","population":1463723,"latitude":35.02107,"longitude":135.75385,"timezone":"Asia/Tokyo","alternateNames":["Kiotó","ක්යෝතෝ","ကျိုတိုမြို့"]}
    {"id":1859171,"name":"Kobe","country":"JP","admin1":"13","population":1525152,"latitude":34.6913,"longitude":135.183,"timezone":"Asia/Tokyo","alternateNames":["Kóbe","கோபே","こうべし"]}
    {"id":1859642,"name":"Kawasaki","country":"JP","admin1":"19","population":1538262,"latitude":35.52056,"longitude":139.71722,"timezone":"Asia/Tokyo","alternateNames":["Kaŭasaki","Кавасакі","कावासाकी"]}
    {"id":1863967,"name":"Fukuoka","country":"JP","admin1":"07","population":1612392,"latitude":33.6,"longitude":130.41667,"timezone":"Asia/Tokyo","alternateNames":["פוקואוקה","ふくおかし","후쿠오카 시"]}
    {"id":2128295,"name":"Sapporo","country":"JP","admin1":"12","population":1973832,"latitude":43.06667,"longitude":141.35,"timezone":"Asia/Tokyo","alternateNames":["Sapporo-chhī","सप्पोरो","საპორო"]}
    {"id":184745,"name":"Nairobi","country":"KE","admin1":"05","population":4397073,"latitude":-1.28333,"longitude":36.81667,"timezone":"Africa/Nairobi","alternateNames":["Nairòbi","nairopi","Նայրոբի"]}
    {"id":195272,"name":"Kakamega","country":"KE","admin1":"20","population":1867579,"latitude":0.28422,"longitude":34.75229,"timezone":"Africa/Nairobi","alternateNames":["Какамеге","კაკამეგა","卡卡梅加"]}
    {"id":1821306,"name":"Phnom Penh","country":"KH","admin1":"22","population":1573544,"latitude":11.56245,"longitude":104.91601,"timezone":"Asia/Phnom_Penh","alternateNames":["Phnum Pénh","Пномпень","金边"]}
    {"id":1871859,"name":"Pyongyang","country":"KP","admin1":"12","population":3222000,"latitude":39.03385,"longitude":125.75432,"timezone":"Asia/Pyongyang","alternateNames":["Pyöngyang","পিয়ং ইয়াং","平壤"]}
    {"id":1835235,"name":"Daejeon","country":"KR","admin1":"19","population":1441203,"latitude":36.34913,"longitude":127.38493,"timezone":"Asia/Seoul","alternateNames":["Tētyan","दाएजोन","ዳይጆን"]}
    {"id":1835329,"name":"Daegu","country":"KR","admin1":"15","population":2365523,"latitude":35.87028,"longitude":128.59111,"timezone":"Asia/Seoul","alternateNames":["Daikyū","ڈygw","แทกู"]}
    {"id":1835848,"name":"Seoul","country":"KR","admin1":"11","population":10349312,"latitude":37.566,"longitude":126.9784,"timezone":"Asia/Seoul","alternateNames":["Seúl","სეული","ሶል"]}
    {"id":1838524,"name":"Busan","country":"KR","admin1":"10","population":3285147,"latitude":35.10168,"longitude":129.03004,"timezone":"Asia/Seoul","alternateNames":["Busán","বুসান","釜山広域市"]}
    {"id":1843564,"name":"Incheon","country":"KR","admin1":"12","population":3015482,"latitude":37.45646,"longitude":126.70515,"timezone":"Asia/Seoul","alternateNames":["Inčon","Инчхон","इंचेवॉन"]}
    {"id":1526273,"name":"Astana","country":"KZ","admin1":"05","population":1544142,"latitude":51.1801,"longitude":71.44598,"timezone":"Asia/Almaty","alternateNames":["Astaná","Aστάνα","ასტანა"]}
    {"id":1526384,"name":"Almaty","country":"KZ","admin1":"02","population":1977011,"latitude":43.25249,"longitude":76.9115,"timezone":"Asia/Almaty","alternateNames":["Almaato","Ałmaty","আলমাটি"]}
    {"id":273203,"name":"Byblos","country":"LB","admin1":"05","population":20784,"latitude":34.12111,"longitude":35.64806,"timezone":"Asia/Beirut","alternateNames":["Djébail","βύβλος","Библос"]}
    {"id":276781,"name":"Beirut","country":"LB","admin1":"04","population":1916100,"latitude":33.89332,"longitude":35.50157,"timezone":"Asia/Beirut","alternateNames":["Beirūta","ביירות","베이루트"]}
    {"id":3042030,"name":"Vaduz","country":"LI","admin1":"11","population":5197,"latitude":47.14151,"longitude":9.52154,"timezone":"Europe/Vaduz","alternateNames":["Βαντούζ","ვადუცი","ፋዱጽ"]}
    {"id":2274895,"name":"Monrovia","country":"LR","admin1":"14","population":1542549,"latitude":6.30054,"longitude":-10.7969,"timezone":"Africa/Monrovia","alternateNames":["Monrobia","Monróvia","Մոնրովիա"]}
    {"id":2538475,"name":"Rabat","country":"MA","admin1":"04","population":1655753,"latitude":34.01325,"longitude":-6.83255,"timezone":"Africa/Casablanca","alternateNames":["Rabāta","الرباط","ར་བ་ཐེ།"]}
    {"id":2553604,"name":"Casablanca","country":"MA","admin1":"06","population":3665954,"latitude":33.58831,"longitude":-7.61138,"timezone":"Africa/Casablanca","alternateNames":["ad-Dār al-bayḍāʾ","Касабланкæ","卡萨布兰卡"]}
    {"id":2993458,"name":"Monaco","country":"MC","admin1":"00","population":32965,"latitude":43.73718,"longitude":7.42145,"timezone":"Europe/Monaco","alternateNames":["Mónaco","Mónakó","모나코"]}
    {"id":2452651,"name":"Nioro","country":"ML","admin1":"03","population":51933,"latitude":15.23074,"longitude":-9.59356,"timezone":"Africa/Bamako","alternateNames":["Noiro","Ɲooro","Ɲòoro"]}
    {"id":2453348,"name":"Mopti","country":"ML","admin1":"04","population":186187,"latitude":14.4843,"longitude":-4.18296,"timezone":"Africa/Bamako","alternateNames":["Móti","Mɔputi","mwbty"]}
    {"id":2460596,"name":"Bamako","country":"ML","admin1":"01","population":4227569,"latitude":12.60915,"longitude":-7.97522,"timezone":"Africa/Bamako","alternateNames":["Bamakó","Bàmakɔ","바마코"]}
    {"id":1298824,"name":"Yangon","country":"MM","admin1":"17","population":4477638,"latitude":16.80528,"longitude":96.15611,"timezone":"Asia/Yangon","alternateNames":["Yangôn","ਰੰਗੂਨ","양곤"]}
    {"id":2377450,"name":"Nouakchott","country":"MR","admin1":null,"population":1184530,"latitude":18.08581,"longitude":-15.9785,"timezone":"Africa/Nouakchott","alternateNames":["Nuakşot","ਨੁਆਕਚੋਤ","누악쇼트"]}
    {"id":3578069,"name":"Plymouth","country":"MS","admin1":"01","population":0,"latitude":16.70555,"longitude":-62.21292,"timezone":"America/Montserrat","alternateNames":["Plimut","Plymouth på Montserrat","بليموث"]}
    {"id":3521081,"name":"Puebla","country":"MX","admin1":"21","population":1692181,"latitude":19.04778,"longitude":-98.20723,"timezone":"America/Mexico_City","alternateNames":["Puebla de los Ángeles","פואבלה","プエブラ"]}
    {"id":3526683,"name":"Iztapalapa","country":"MX","admin1":"09","population":1835486,"latitude":19.35529,"longitude":-99.06224,"timezone":"America/Mexico_City","alternateNames":["Iztaoalaoa","Iztapalāpan","伊斯塔帕拉帕"]}
    {"id":3529612,"name":"Ecatepec de Morelos","country":"MX","admin1":"15","population":1645352,"latitude":19.60492,"longitude":-99.06064,"timezone":"America/Mexico_City","alternateNames":["San Cristobal Ecatepec","San Cristóbal","San Cristóbal Ecatepec"]}
    {"id":3530597,"name":"Mexico City","country":"MX","admin1":"09","population":12294193,"latitude":19.42847,"longitude":-99.12766,"timezone":"America/Mexico_City","alternateNames":["Ciudad de Méjico","मेक्सिको सिटी","მეხიკო"]}
    {"id":3979770,"name":"Zapopan","country":"MX","admin1":"14","population":1476491,"latitude":20.72111,"longitude":-103.38742,"timezone":"America/Mexico_City","alternateNames":["Σαπόπαν","საპოპანი","サポパン"]}
    {"id":3981609,"name":"Tijuana","country":"MX","admin1":"02","population":1922523,"latitude":32.5027,"longitude":-117.00371,"timezone":"America/Tijuana","alternateNames":["Tíjúana","טיחואנה","ティフアナ"]}
    {"id":3991164,"name":"Santiago de Querétaro","country":"MX","admin1":"22","population":1594212,"latitude":20.58806,"longitude":-100.38806,"timezone":"America/Mexico_City","alternateNames":["Querétaro","Santiagu di Querétaro","ケレタロ"]}
    {"id":3998655,"name":"León de los Aldama","country":"MX","admin1":"11","population":1579803,"latitude":21.12183,"longitude":-101.68253,"timezone":"America/Mexico_City","alternateNames":["Ciudad de Leon","León de los Aldamas","レオン"]}
    {"id":4013708,"name":"Ciudad Juárez","country":"MX","admin1":"06","population":1512450,"latitude":31.72024,"longitude":-106.46084,"timezone":"America/Ciudad_Juarez","alternateNames":["Altepetl Juárez","סיודאד חוארס","시우다드후아레스"]}
    {"id":1735161,"name":"Kuala Lumpur","country":"MY","admin1":"14","population":1453975,"latitude":3.1412,"longitude":101.68653,"timezone":"Asia/Kuala_Lumpur","alternateNames":["Kualalumpūra","كوالا لامبور","ཁལ་ལུང་ཕུ།"]}
    {"id":2324774,"name":"Port Harcourt","country":"NG","admin1":"50","population":2120000,"latitude":4.77742,"longitude":7.0134,"timezone":"Africa/Lagos","alternateNames":["Ugwu Ọcha","পোর্ট হারকোর্ট","哈科特港"]}
    {"id":2326016,"name":"Onitsha","country":"NG","admin1":"25","population":1553000,"latitude":6.14978,"longitude":6.78569,"timezone":"Africa/Lagos","alternateNames":["Oniĉjo","Оніча","오니차"]}
    {"id":2332459,"name":"Lagos","country":"NG","admin1":"05","population":15388000,"latitude":6.45407,"longitude":3.39467,"timezone":"Africa/Lagos","alternateNames":["Èkó","லாகோஸ்","లాగోస్"]}
    {"id":2335204,"name":"Kano","country":"NG","admin1":"29","population":4910000,"latitude":12.00012,"longitude":8.51672,"timezone":"Africa/Lagos","alternateNames":["Byen Kano","Kánò","কানো"]}
    {"id":2335727,"name":"Kaduna","country":"NG","admin1":"23","population":1850000,"latitude":10.52641,"longitude":7.43879,"timezone":"Africa/Lagos","alternateNames":["Kaduna","Kàdúná","كادونا"]}
    {"id":2339354,"name":"Ibadan","country":"NG","admin1":"32","population":3649000,"latitude":7.37756,"longitude":3.90591,"timezone":"Africa/Lagos","alternateNames":["İbadan","ʿibadani","إبادان"]}
    {"id":2347283,"name":"Benin City","country":"NG","admin1":"37","population":1782000,"latitude":6.33815,"longitude":5.62575,"timezone":"Africa/Lagos","alternateNames":["Benin Şəhəri","bnyn","বেনিন সিটি"]}
    {"id":2352778,"name":"Abuja","country":"NG","admin1":"11","population":2690000,"latitude":9.05785,"longitude":7.49508,"timezone":"Africa/Lagos","alternateNames":["Abuĝo","ਅਬੁਜਾ","아부자"]}
    {"id":1283240,"name":"Kathmandu","country":"NP","admin1":"3","population":1442271,"latitude":27.70169,"longitude":85.3206,"timezone":"Asia/Kathmandu","alternateNames":["Katmandû","Κατμαντού","კატმანდუ"]}
    {"id":2193733,"name":"Auckland","country":"NZ","admin1":"E7","population":1547200,"latitude":-36.84853,"longitude":174.76349,"timezone":"Pacific/Auckland","alternateNames":["Tāmaki-makau-rau","ʿokilanidi","ഓക്‌ലൻഡ്"]}
    {"id":3936456,"name":"Lima","country":"PE","admin1":"LMA","population":7737002,"latitude":-12.04318,"longitude":-77.02824,"timezone":"America/Lima","alternateNames":["Lìmma","ଲିମା","லிமா"]}
    {"id":1692192,"name":"Quezon City","country":"PH","admin1":"NCR","population":3084270,"latitude":14.6488,"longitude":121.0509,"timezone":"Asia/Manila","alternateNames":["Keson-Siti","Кезон Сити","奎松市"]}
    {"id":1701668,"name":"Manila","country":"PH","admin1":"NCR","population":1600000,"latitude":14.6042,"longitude":120.9822,"timezone":"Asia/Manila","alternateNames":["Maníla","מנילה","마닐라"]}
    {"id":1715348,"name":"Davao","country":"PH","admin1":"11","population":1848947,"latitude":7.07306,"longitude":125.61278,"timezone":"Asia/Manila","alternateNames":["Davaó","dbʼw syty","داواو"]}
    {"id":1720151,"name":"Caloocan","country":"PH","admin1":"NCR","population":1712945,"latitude":14.64953,"longitude":120.96788,"timezone":"Asia/Manila","alternateNames":["Caloocan","qlwʼwqn","加洛坎"]}
    {"id":1166993,"name":"Rawalpindi","country":"PK","admin1":"04","population":3357612,"latitude":33.59733,"longitude":73.0479,"timezone":"Asia/Karachi","alternateNames":["Rávalpindí","iravalpinti","Ռավալպինդի"]}
    {"id":1167528,"name":"Quetta","country":"PK","admin1":"02","population":1565546,"latitude":30.18414,"longitude":67.00141,"timezone":"Asia/Karachi","alternateNames":["Kvéta","ਕੋਇਟਾ","퀘타"]}
    {"id":1168197,"name":"Peshawar","country":"PK","admin1":"03","population":4758762,"latitude":34.008,"longitude":71.57849,"timezone":"Asia/Karachi","alternateNames":["Pešāvara","பெசாவர்","പെഷവാർ"]}
    {"id":1169825,"name":"Multan","country":"PK","admin1":"04","population":2169915,"latitude":30.19679,"longitude":71.47824,"timezone":"Asia/Karachi","alternateNames":["Μουλτάν","מולטאן","물탄"]}
    {"id":1172451,"name":"Lahore","country":"PK","admin1":"04","population":13004135,"latitude":31.558,"longitude":74.35071,"timezone":"Asia/Karachi","alternateNames":["Láhaur","Լահոր","لاہور"]}
    {"id":1174872,"name":"Karachi","country":"PK","admin1":"05","population":11624219,"latitude":24.8608,"longitude":67.0104,"timezone":"Asia/Karachi","alternateNames":["Karaçi","ਕਰਾਚੀ","કરાચી"]}
    {"id":1176734,"name":"Hyderabad","country":"PK","admin1":"05","population":1921275,"latitude":25.39689,"longitude":68.37718,"timezone":"Asia/Karachi","alternateNames":["Hiderabad","Hyderābād","حیدرآباد، سندھ"]}
    {"id":1177662,"name":"Gujranwala","country":"PK","admin1":"04","population":2511118,"latitude":32.15567,"longitude":74.18705,"timezone":"Asia/Karachi","alternateNames":["Gudźranwala","Gudžranvala","gwg'rʼnwwʼlh"]}
    {"id":1179400,"name":"Faisalabad","country":"PK","admin1":"04","population":3800193,"latitude":31.41554,"longitude":73.08969,"timezone":"Asia/Karachi","alternateNames":["Faisalābāda","Feysəlabad","pyyslʼbʼd"]}
    {"id":756135,"name":"Warsaw","country":"PL","admin1":"78","population":1702139,"latitude":52.22977,"longitude":21.01178,"timezone":"Europe/Warsaw","alternateNames":["Varšava","Վարշավա","ورشو"]}
    {"id":3093133,"name":"Łódź","country":"PL","admin1":"74","population":639890,"latitude":51.77058,"longitude":19.47395,"timezone":"Europe/Warsaw","alternateNames":["Lò-tsṳ","Łódź","ウッチ"]}
    {"id":8063361,"name":"Ngerulmud","country":"PW","admin1":"07","population":0,"latitude":7.50077,"longitude":134.6238,"timezone":"Pacific/Palau","alternateNames":["Ngerulmud","Нгерулмуд","응게룰무드"]}
    {"id":3439389,"name":"Asunción","country":"PY","admin1":"22","population":1482200,"latitude":-25.28646,"longitude":-57.647,"timezone":"America/Asuncion","alternateNames":["Asúnsjón","Асунсьон","亞松森"]}
    {"id":683506,"name":"Bucharest","country":"RO","admin1":"10","population":1877155,"latitude":44.43225,"longitude":26.10626,"timezone":"Europe/Bucharest","alternateNames":["Bukareštas","ბუქარესტი","ቡካረስት"]}
    {"id":498817,"name":"Saint Petersburg","country":"RU","admin1":"66","population":5351935,"latitude":59.93863,"longitude":30.31413,"timezone":"Europe/Moscow","alternateNames":["Lungsod ng Sankt-Peterburg","Saint Pétersbourg","Սանկտ Պետերբուրգ"]}
    {"id":524901,"name":"Moscow","country":"RU","admin1":"48","population":10381222,"latitude":55.75204,"longitude":37.61781,"timezone":"Europe/Moscow","alternateNames":["Moscoƿ","মস্কো","莫斯科"]}
    {"id":1486209,"name":"Yekaterinburg","country":"RU","admin1":"71","population":1495066,"latitude":56.85733,"longitude":60.61529,"timezone":"Asia/Yekaterinburg","alternateNames":["Ekatěrinburg","ʿikateriniburiግ","エカテリンブルク"]}
    {"id":1496747,"name":"Novosibirsk","country":"RU","admin1":"53","population":1612833,"latitude":55.02259,"longitude":82.93175,"timezone":"Asia/Novosibirsk","alternateNames":["Çĕн Çĕпĕр","נובוסיבירסק","노보시비르스크"]}
    {"id":104515,"name":"Makkah","country":"SA","admin1":"14","population":1578722,"latitude":21.42664,"longitude":39.82563,"timezone":"Asia/Riyadh","alternateNames":["Məkkə","Мәккә","麥加"]}
    {"id":105343,"name":"Jeddah","country":"SA","admin1":"14","population":4697000,"latitude":21.49012,"longitude":39.18624,"timezone":"Asia/Riyadh","alternateNames":["Džidda","Τζέντα","ჯიდა"]}
    {"id":108410,"name":"Riyadh","country":"SA","admin1":"10","population":4205961,"latitude":24.68773,"longitude":46.72185,"timezone":"Asia/Riyadh","alternateNames":["Ar-Riyāḑ","Ριάντ","ერ-რიადი"]}
    {"id":365137,"name":"Omdurman","country":"SD","admin1":"29","population":1849659,"latitude":15.64453,"longitude":32.47773,"timezone":"Africa/Khartoum","alternateNames":["Omdurmāna","Омдурман","ომდურმანი"]}
    {"id":379252,"name":"Khartoum","country":"SD","admin1":"29","population":1974647,"latitude":15.55177,"longitude":32.53241,"timezone":"Africa/Khartoum","alternateNames":["Kartúm","Χαρτούμ","하르툼"]}
    {"id":2673730,"name":"Stockholm","country":"SE","admin1":"26","population":1515017,"latitude":59.32938,"longitude":18.06871,"timezone":"Europe/Stockholm","alternateNames":["Stokkhólmur","斯德哥爾摩","𐍃𐍄𐌿𐌺𐌺𐌰𐌷𐌿𐌻𐌼𐍃"]}
    {"id":1880252,"name":"Singapore","country":"SG","admin1":null,"population":5638700,"latitude":1.28967,"longitude":103.85007,"timezone":"Asia/Singapore","alternateNames":["Dānmǎxī","Sîn-kâ-po","စငကာပနငင"]}
    {"id":2729907,"name":"Longyearbyen","country":"SJ","admin1":"21","population":2368,"latitude":78.22334,"longitude":15.64689,"timezone":"Arctic/Longyearbyen","alternateNames":["Longyearbýur","ლონგირი","롱이어비엔"]}
    {"id":3168070,"name":"San Marino","country":"SM","admin1":"07","population":4500,"latitude":43.93667,"longitude":12.44639,"timezone":"Europe/San_Marino","alternateNames":["San Marino Città","செயின்ட் மரினோ நகரம்","サンマリノ市"]}
    {"id":2253354,"name":"Dakar","country":"SN","admin1":"01","population":2646503,"latitude":14.6937,"longitude":-17.44406,"timezone":"Africa/Dakar","alternateNames":["Dacár","דאקאר","다카르"]}
    {"id":53654,"name":"Mogadishu","country":"SO","admin1":"02","population":2587183,"latitude":2.03711,"longitude":45.34375,"timezone":"Africa/Mogadishu","alternateNames":["Mogadìsciu","ಮೊಗಡಿಶು","モガディシュ"]}
    {"id":170063,"name":"Aleppo","country":"SY","admin1":"09","population":2098210,"latitude":36.20124,"longitude":37.16117,"timezone":"Asia/Damascus","alternateNames":["আলেপ্পো","Ḩalab","阿勒颇"]}
    {"id":170654,"name":"Damascus","country":"SY","admin1":"13","population":1569394,"latitude":33.5102,"longitude":36.29128,"timezone":"Asia/Damascus","alternateNames":["Al-Shām","大马士革","𐌳𐌰𐌼𐌰𐍃𐌺𐍉/Damasko"]}
    {"id":2365267,"name":"Lomé","country":"TG","admin1":"24","population":2188376,"latitude":6.12874,"longitude":1.22154,"timezone":"Africa/Lome","alternateNames":["Lomė","ლომე","ሎሜ"]}
    {"id":1609350,"name":"Bangkok","country":"TH","admin1":"40","population":5104476,"latitude":13.75398,"longitude":100.50144,"timezone":"Asia/Bangkok","alternateNames":["Bancác","krungtheph‡","बैंकॉक"]}
    {"id":306571,"name":"Konya","country":"TR","admin1":"71","population":1433861,"latitude":37.87135,"longitude":32.48464,"timezone":"Europe/Istanbul","alternateNames":["Koʻniya","Ղոնիա","قونية"]}
    {"id":308464,"name":"Kayseri","country":"TR","admin1":"38","population":1452458,"latitude":38.73222,"longitude":35.48528,"timezone":"Europe/Istanbul","alternateNames":["Césarée","قیصریه","ไกเซรี"]}
    {"id":311046,"name":"İzmir","country":"TR","admin1":"35","population":2938292,"latitude":38.41273,"longitude":27.13838,"timezone":"Europe/Istanbul","alternateNames":["İzmir","इज़मिर","ኢዝሚር"]}
    {"id":314830,"name":"Gaziantep","country":"TR","admin1":"83","population":2222415,"latitude":37.05944,"longitude":37.3825,"timezone":"Europe/Istanbul","alternateNames":["Ayıntap","გაზიანთეფი","ጋዚያንቴፕ"]}
    {"id":316541,"name":"Diyarbakır","country":"TR","admin1":"21","population":1833684,"latitude":37.91363,"longitude":40.21721,"timezone":"Europe/Istanbul","alternateNames":["Dijarbakˌyr","Diyarıbekir","ディヤルバクル"]}
    {"id":323786,"name":"Ankara","country":"TR","admin1":"68","population":3517182,"latitude":39.91987,"longitude":32.85427,"timezone":"Europe/Istanbul","alternateNames":["Engüri","Ăng-kā-lá","അങ്കാറ"]}
    {"id":325363,"name":"Adana","country":"TR","admin1":"81","population":1816750,"latitude":36.98615,"longitude":35.32531,"timezone":"Europe/Istanbul","alternateNames":["Adanë","adnہ","Անտիոքիա առ Սարոսիվ"]}
    {"id":745044,"name":"Istanbul","country":"TR","admin1":"34","population":15701602,"latitude":41.01384,"longitude":28.94966,"timezone":"Europe/Istanbul","alternateNames":["Micklagård","Ισταμπούλ","इस्तांबुल"]}
    {"id":750269,"name":"Bursa","country":"TR","admin1":"16","population":3101833,"latitude":40.19559,"longitude":29.06013,"timezone":"Europe/Istanbul","alternateNames":["Բուրսա","بورصہ","บูร์ซา"]}
    {"id":1668341,"name":"Taipei","country":"TW","admin1":"04","population":7871900,"latitude":25.05306,"longitude":121.52639,"timezone":"Asia/Taipei","alternateNames":["Đài Bắc","Тайпей","ताइपे"]}
    {"id":1668355,"name":"Tainan","country":"TW","admin1":"04","population":1856642,"latitude":22.99083,"longitude":120.21333,"timezone":"Asia/Taipei","alternateNames":["Dài-nàng","T’ai-nan","ไถหนัน"]}
    {"id":1668399,"name":"Taichung","country":"TW","admin1":"04","population":2850285,"latitude":24.1469,"longitude":120.6839,"timezone":"Asia/Taipei","alternateNames":["Thòi-chûng-sṳ","Тайжун","타이중 시"]}
    {"id":1673820,"name":"Kaohsiung","country":"TW","admin1":"02","population":2737660,"latitude":22.61626,"longitude":120.31333,"timezone":"Asia/Taipei","alternateNames":["Cao Hùng","Kaoshang","کاوہسیونگ"]}
    {"id":12908892,"name":"New Taipei City","country":"TW","admin1":"03","population":4004367,"latitude":25.06199,"longitude":121.45703,"timezone":"Asia/Taipei","alternateNames":["Nova Taipé","Nova Tchaj-pej","新北"]}
    {"id":160263,"name":"Dar es Salaam","country":"TZ","admin1":"23","population":5383728,"latitude":-6.82349,"longitude":39.26951,"timezone":"Africa/Dar_es_Salaam","alternateNames":["Dárasalám","ดาร์-เอส-ซาลาม","ཏ་རེ་སི་ས་ལམ།"]}
    {"id":703448,"name":"Kyiv","country":"UA","admin1":"12","population":2952301,"latitude":50.45466,"longitude":30.5238,"timezone":"Europe/Kyiv","alternateNames":["Kíjó","Κίεβο","კიევი"]}
    {"id":706483,"name":"Kharkiv","country":"UA","admin1":"07","population":1421125,"latitude":49.98177,"longitude":36.25475,"timezone":"Europe/Kyiv","alternateNames":["Khar’kov","Ĥarkov","ခါရ်ကီဗ်"]}
    {"id":232422,"name":"Kampala","country":"UG","admin1":"C","population":1680600,"latitude":0.31628,"longitude":32.58219,"timezone":"Africa/Kampala","alternateNames":["كامپالا","กัมปาลา","ཀམ་པ་ལ།"]}
    {"id":4560349,"name":"Philadelphia","country":"US","admin1":"PA","population":1573916,"latitude":39.95238,"longitude":-75.16362,"timezone":"America/New_York","alternateNames":["Filadelfiä","Philadelphia","Ֆիլադելֆիա"]}
    {"id":4699066,"name":"Houston","country":"US","admin1":"TX","population":2314157,"latitude":29.76328,"longitude":-95.36327,"timezone":"America/Chicago","alternateNames":["Hiû-sṳ̂-tûn","హ్యూస్టన్","ฮิวสตัน"]}
    {"id":4726206,"name":"San Antonio","country":"US","admin1":"TX","population":1526656,"latitude":29.42412,"longitude":-98.49363,"timezone":"America/Chicago","alternateNames":["San Antònio","san-antʼonio","സാൻ അന്റോണിയോ"]}
    {"id":4887398,"name":"Chicago","country":"US","admin1":"IL","population":2664452,"latitude":41.85003,"longitude":-87.65005,"timezone":"America/Chicago","alternateNames":["Şikago","שיקגו","𐍃𐌾𐌹𐌺𐌰𐌲𐍉"]}
    {"id":5110302,"name":"Brooklyn","country":"US","admin1":"NY","population":2736074,"latitude":40.6501,"longitude":-73.94958,"timezone":"America/New_York","alternateNames":["bu lu ke lin qu","بروكلين","บรุกลิน"]}
    {"id":5125771,"name":"Manhattan","country":"US","admin1":"NY","population":1487536,"latitude":40.78343,"longitude":-73.96625,"timezone":"America/New_York","alternateNames":["mæn hat tan","Манхеттен","맨해튼"]}
    {"id":5128581,"name":"New York City","country":"US","admin1":"NY","population":8804190,"latitude":40.71427,"longitude":-74.00597,"timezone":"America/New_York","alternateNames":["Nòva York","Ню Йорк","न्यूयॉर्क"]}
    {"id":5133273,"name":"Queens","country":"US","admin1":"NY","population":2316841,"latitude":40.68149,"longitude":-73.83652,"timezone":"America/New_York","alternateNames":["Comte de Queens","Comté de Queens","Queens County"]}
    {"id":5308655,"name":"Phoenix","country":"US","admin1":"AZ","population":1650070,"latitude":33.44838,"longitude":-112.07404,"timezone":"America/Phoenix","alternateNames":["Féniks","Pēniki","ഫീനിക്സ്"]}
    {"id":5368361,"name":"Los Angeles","country":"US","admin1":"CA","population":3820914,"latitude":34.05223,"longitude":-118.24368,"timezone":"America/Los_Angeles","alternateNames":["Os Ánxeles","lxs xæ n ce lis","ലോസ് ആഞ്ചെലെസ്"]}
    {"id":1512569,"name":"Tashkent","country":"UZ","admin1":"13","population":1978028,"latitude":41.26465,"longitude":69.21627,"timezone":"Asia/Tashkent","alternateNames":["Tachkènt","Taskent","তাশখন্দ"]}
    {"id":6691831,"name":"Vatican City","country":"VA","admin1":null,"population":829,"latitude":41.90268,"longitude":12.45414,"timezone":"Europe/Vatican","alternateNames":["Vatikán","Ватикан","바티칸"]}
    {"id":3625549,"name":"Valencia","country":"VE","admin1":"07","population":1619470,"latitude":10.16153,"longitude":-68.00044,"timezone":"America/Caracas","alternateNames":["Valência","ולנסיה","バレンシア"]}
    {"id":3633009,"name":"Maracaibo","country":"VE","admin1":"23","population":1752602,"latitude":10.64232,"longitude":-71.61089,"timezone":"America/Caracas","alternateNames":["Μαρακάιμπο","ਮਾਰਾਕਾਈਬੋ","마라카이보"]}
    {"id":3646738,"name":"Caracas","country":"VE","admin1":"25","population":3000000,"latitude":10.48801,"longitude":-66.87919,"timezone":"America/Caracas","alternateNames":["Santiago de León de Caracas","କାରାକାସ","கரகஸ்"]}
    {"id":1566083,"name":"Ho Chi Minh City","country":"VN","admin1":"79","population":14002598,"latitude":10.82302,"longitude":106.62965,"timezone":"Asia/Ho_Chi_Minh","alternateNames":["Hô-Chi-Minh-Ville","Хошимин","호치민"]}
    {"id":1581130,"name":"Hanoi","country":"VN","admin1":"01","population":8053663,"latitude":21.0245,"longitude":105.84117,"timezone":"Asia/Bangkok","alternateNames":["Hanoí","ହାନୋଇ","හැනෝයි"]}
    {"id":1581298,"name":"Haiphong","country":"VN","admin1":"31","population":2625200,"latitude":20.86481,"longitude":106.68345,"timezone":"Asia/Bangkok","alternateNames":["Hải Phòng","Хайфон","हाईफांग"]}
    {"id":1586203,"name":"Cần Thơ","country":"VN","admin1":"92","population":1507187,"latitude":10.03711,"longitude":105.78825,"timezone":"Asia/Ho_Chi_Minh","alternateNames":["Cần Thơ","Кан Тхо","芹苴市"]}
    {"id":71137,"name":"Sanaa","country":"YE","admin1":"26","population":1937451,"latitude":15.35452,"longitude":44.20646,"timezone":"Asia/Aden","alternateNames":["Sanao","Səna","萨那"]}
    {"id":953781,"name":"Soweto","country":"ZA","admin1":"06","population":1695047,"latitude":-26.26781,"longitude":27.85849,"timezone":"Africa/Johannesburg","alternateNames":["சோயிட்டோ","సోవెటో","โซเวโต"]}
    {"id":964137,"name":"Pretoria","country":"ZA","admin1":"06","population":2112693,"latitude":-25.74486,"longitude":28.18783,"timezone":"Africa/Johannesburg","alternateNames":["Tsindiitłʼííshí","Պրետորիա","پریٹوریا"]}
    {"id":993800,"name":"Johannesburg","country":"ZA","admin1":"06","population":9418183,"latitude":-26.20227,"longitude":28.04363,"timezone":"Africa/Johannesburg","alternateNames":["Yok-hon-nì-sṳ̂-páu","Յոհաննեսբուրգ","یوہانس برگ"]}
    {"id":1007311,"name":"Durban","country":"ZA","admin1":"02","population":3338026,"latitude":-29.8579,"longitude":31.0292,"timezone":"Africa/Johannesburg","alternateNames":["Ντέρμπαν","ਡਰਬਨ","დურბანი"]}
    {"id":3369157,"name":"Cape Town","country":"ZA","admin1":"11","population":4772846,"latitude":-33.92584,"longitude":18.42322,"timezone":"Africa/Johannesburg","alternateNames":["Kaplinn","Lé Cap","কেপ টাউন"]}
    {"id":909137,"name":"Lusaka","country":"ZM","admin1":"09","population":2212301,"latitude":-15.40669,"longitude":28.28713,"timezone":"Africa/Lusaka","alternateNames":["Lûsaka","लुसाका","ሉሳካ"]}
    {"id":890299,"name":"Harare","country":"ZW","admin1":"10","population":1542813,"latitude":-17.82772,"longitude":31.05337,"timezone":"Africa/Harare","alternateNames":["Charare","Hararė","Հարարե"]}
    """#
}
