S My brother have two dog and they likes to swiming in the lake .
A 2 3|||SVA|||has|||REQUIRED|||-NONE-|||0
A 4 5|||Nn|||dogs|||REQUIRED|||-NONE-|||0
A 7 8|||SVA|||like|||REQUIRED|||-NONE-|||0
A 9 10|||Vform|||swim|||REQUIRED|||-NONE-|||0
A 2 3|||SVA|||has|||REQUIRED|||-NONE-|||1
A 4 5|||Nn|||dogs|||REQUIRED|||-NONE-|||1
A 5 5|||Mec|||,|||REQUIRED|||-NONE-|||1
A 7 8|||SVA|||like|||REQUIRED|||-NONE-|||1
A 8 10|||Vform|||swimming|||REQUIRED|||-NONE-|||1

S Yesterday I go to the libary for borrow a book about the history .
A 2 3|||Vt|||went|||REQUIRED|||-NONE-|||0
A 5 6|||Mec|||library|||REQUIRED|||-NONE-|||0
A 6 7|||Vform|||to|||REQUIRED|||-NONE-|||0
A 11 12|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 1 1|||Mec|||,|||REQUIRED|||-NONE-|||1
A 2 3|||Vt|||went|||REQUIRED|||-NONE-|||1
A 5 6|||Mec|||library|||REQUIRED|||-NONE-|||1
A 6 7|||Prep|||to|||REQUIRED|||-NONE-|||1
A 11 12|||ArtOrDet||||||REQUIRED|||-NONE-|||1

S In my opinion , peoples should not to use their phones while they are driving .
A 4 5|||Nn|||people|||REQUIRED|||-NONE-|||0
A 7 8|||Vform||||||REQUIRED|||-NONE-|||0
A 4 5|||Nn|||people|||REQUIRED|||-NONE-|||1
A 5 8|||Vm|||must never|||REQUIRED|||-NONE-|||1

S The weather was very beatiful so we was decided to make a picnic in park .
A 4 5|||Mec|||beautiful|||REQUIRED|||-NONE-|||0
A 5 5|||Mec|||,|||REQUIRED|||-NONE-|||0
A 7 8|||Vform||||||REQUIRED|||-NONE-|||0
A 10 11|||Wci|||have|||REQUIRED|||-NONE-|||0
A 14 14|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 4 5|||Mec|||beautiful|||REQUIRED|||-NONE-|||1
A 7 8|||Vform||||||REQUIRED|||-NONE-|||1
A 10 11|||Wci|||have||go for|||REQUIRED|||-NONE-|||1
A 14 14|||ArtOrDet|||a|||REQUIRED|||-NONE-|||1

S I am agree with you completly .
A 1 2|||Vform||||||REQUIRED|||-NONE-|||0
A 5 6|||Mec|||completely|||REQUIRED|||-NONE-|||0
A 1 2|||WOadv|||completely|||REQUIRED|||-NONE-|||1
A 5 6|||WOadv||||||REQUIRED|||-NONE-|||1

S She has lived in Lisbon since she was a child .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S The bus was late I missed my interview , it was a terible day .
A 4 4|||Srun|||, so|||REQUIRED|||-NONE-|||0
A 8 9|||Srun|||;|||REQUIRED|||-NONE-|||0
A 12 13|||Mec|||terrible|||REQUIRED|||-NONE-|||0
A 4 4|||Srun|||and|||REQUIRED|||-NONE-|||1
A 8 10|||Srun|||. It|||REQUIRED|||-NONE-|||1
A 12 13|||Mec|||terrible|||REQUIRED|||-NONE-|||1

S Nowadays , many company is using robots for do the dangerous works .
A 3 4|||Nn|||companies|||REQUIRED|||-NONE-|||0
A 4 5|||SVA|||are|||REQUIRED|||-NONE-|||0
A 7 8|||Vform|||to|||REQUIRED|||-NONE-|||0
A 9 10|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 11 12|||Nn|||work|||REQUIRED|||-NONE-|||0
A 3 4|||Nn|||companies|||REQUIRED|||-NONE-|||1
A 4 5|||SVA|||are|||REQUIRED|||-NONE-|||1
A 7 8|||Prep|||to|||REQUIRED|||-NONE-|||1
A 9 10|||ArtOrDet||||||REQUIRED|||-NONE-|||1
A 11 12|||Wci|||jobs|||REQUIRED|||-NONE-|||1

S I do n't know where is the nearest farmacy , can you telling me ?
A 5 9|||WOinc|||the nearest pharmacy is|||REQUIRED|||-NONE-|||0
A 9 11|||Srun|||. Can|||REQUIRED|||-NONE-|||0
A 12 13|||Vform|||tell|||REQUIRED|||-NONE-|||0
A 5 6|||WOinc||||||REQUIRED|||-NONE-|||1
A 8 9|||Mec|||pharmacy|||REQUIRED|||-NONE-|||1
A 9 10|||WOinc|||is ;|||REQUIRED|||-NONE-|||1
A 12 13|||Vform|||tell|||REQUIRED|||-NONE-|||1

S My grandmother always is telling us storys about the war when we were small .
A 2 4|||WOadv|||was always|||REQUIRED|||-NONE-|||0
A 6 7|||Mec|||stories|||REQUIRED|||-NONE-|||0
A 3 5|||Vt|||told|||REQUIRED|||-NONE-|||1
A 6 7|||Nn|||stories|||REQUIRED|||-NONE-|||1

S He said me the true .
A 1 2|||Wci|||told|||REQUIRED|||-NONE-|||0
A 4 5|||Wform|||truth|||REQUIRED|||-NONE-|||0
A 1 2|||Wci|||told|||REQUIRED|||-NONE-|||1
A 4 5|||Wform|||truth|||REQUIRED|||-NONE-|||1

S If I will have enough time tomorow , I would visit my aunt which lives near to the sea .
A 2 3|||Vt||||||REQUIRED|||-NONE-|||0
A 6 7|||Mec|||tomorrow|||REQUIRED|||-NONE-|||0
A 9 10|||Vm|||will|||REQUIRED|||-NONE-|||0
A 13 14|||Pform|||who|||REQUIRED|||-NONE-|||0
A 16 17|||Prep||||||REQUIRED|||-NONE-|||0
A 2 3|||Vm||||||REQUIRED|||-NONE-|||1
A 6 7|||Mec|||tomorrow|||REQUIRED|||-NONE-|||1
A 9 10|||Vm|||will|||REQUIRED|||-NONE-|||1
A 13 14|||Pref|||who|||REQUIRED|||-NONE-|||1

S The reason of why I like the cooking is because it makes me to feel relax .
A 2 3|||Prep||||||REQUIRED|||-NONE-|||0
A 6 7|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 9 10|||Trans|||that|||REQUIRED|||-NONE-|||0
A 13 14|||Vform||||||REQUIRED|||-NONE-|||0
A 15 16|||Wform|||relaxed|||REQUIRED|||-NONE-|||0
A 2 3|||Prep||||||REQUIRED|||-NONE-|||1
A 6 7|||ArtOrDet||||||REQUIRED|||-NONE-|||1
A 9 10|||Ssub|||that|||REQUIRED|||-NONE-|||1
A 11 12|||Wci|||helps|||REQUIRED|||-NONE-|||1
A 14 15|||Wci||||||REQUIRED|||-NONE-|||1

S This two photos was taken by my sister friend in a island .
A 0 1|||ArtOrDet|||These|||REQUIRED|||-NONE-|||0
A 3 4|||SVA|||were|||REQUIRED|||-NONE-|||0
A 8 8|||Npos|||'s|||REQUIRED|||-NONE-|||0
A 9 10|||Prep|||on|||REQUIRED|||-NONE-|||0
A 10 11|||ArtOrDet|||an|||REQUIRED|||-NONE-|||0
A 0 1|||ArtOrDet|||These|||REQUIRED|||-NONE-|||1
A 3 4|||SVA|||were|||REQUIRED|||-NONE-|||1
A 8 8|||Npos|||'s|||REQUIRED|||-NONE-|||1
A 9 10|||Prep|||on|||REQUIRED|||-NONE-|||1
A 10 11|||ArtOrDet|||an|||REQUIRED|||-NONE-|||1

S Learning a new langauge need patience , practise and a good sense of humour .
A 3 4|||Mec|||language|||REQUIRED|||-NONE-|||0
A 4 5|||SVA|||needs|||REQUIRED|||-NONE-|||0
A 7 8|||Wform|||practice|||REQUIRED|||-NONE-|||0
A 3 4|||Mec|||language|||REQUIRED|||-NONE-|||1
A 4 5|||Wci|||requires|||REQUIRED|||-NONE-|||1
A 7 8|||Mec|||practice|||REQUIRED|||-NONE-|||1

S There is many reason to why the river become so dirty in last ten years .
A 1 2|||SVA|||are|||REQUIRED|||-NONE-|||0
A 3 4|||Nn|||reasons|||REQUIRED|||-NONE-|||0
A 4 5|||Prep||||||REQUIRED|||-NONE-|||0
A 8 8|||Vt|||has|||REQUIRED|||-NONE-|||0
A 12 12|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 1 2|||SVA|||are|||REQUIRED|||-NONE-|||1
A 3 4|||Nn|||reasons|||REQUIRED|||-NONE-|||1
A 4 5|||Prep||||||REQUIRED|||-NONE-|||1
A 8 8|||Vt|||has|||REQUIRED|||-NONE-|||1
A 11 12|||Prep|||over the|||REQUIRED|||-NONE-|||1

S Me and my collegue has finish the report on friday evening .
A 0 4|||Pform|||My colleague and I|||REQUIRED|||-NONE-|||0
A 4 6|||Vt|||finished|||REQUIRED|||-NONE-|||0
A 9 10|||Mec|||Friday|||REQUIRED|||-NONE-|||0
A 0 4|||Pform|||My colleague and I|||REQUIRED|||-NONE-|||1
A 4 5|||Vt||||||REQUIRED|||-NONE-|||1
A 5 6|||Vform|||finished|||REQUIRED|||-NONE-|||1
A 9 10|||Mec|||Friday|||REQUIRED|||-NONE-|||1

S The film what we watched last night was so bored that I felt asleep .
A 2 3|||Pform|||that|||REQUIRED|||-NONE-|||0
A 9 10|||Wform|||boring|||REQUIRED|||-NONE-|||0
A 12 13|||Wci|||fell|||REQUIRED|||-NONE-|||0
A 2 3|||Pref||||||REQUIRED|||-NONE-|||1
A 9 10|||Wform|||boring|||REQUIRED|||-NONE-|||1
A 12 13|||Wci|||fell|||REQUIRED|||-NONE-|||1

S Because the shop was closed . We ate the breads which was left from the day before .
A 5 7|||Sfrag|||, we|||REQUIRED|||-NONE-|||0
A 9 10|||Nn|||bread|||REQUIRED|||-NONE-|||0
A 13 13|||Others|||over|||REQUIRED|||-NONE-|||0
A 0 2|||Sfrag|||The|||REQUIRED|||-NONE-|||1
A 5 7|||Sfrag|||, so we|||REQUIRED|||-NONE-|||1
A 9 10|||Nn|||bread|||REQUIRED|||-NONE-|||1
A 10 11|||Pref|||that|||REQUIRED|||-NONE-|||1

S I look forward to hear from you , and I hope you will give me the chance for show my skill .
A 4 5|||Vform|||hearing|||REQUIRED|||-NONE-|||0
A 17 18|||Vform|||to|||REQUIRED|||-NONE-|||0
A 20 21|||Nn|||skills|||REQUIRED|||-NONE-|||0
A 4 5|||Vform|||hearing|||REQUIRED|||-NONE-|||1
A 15 16|||ArtOrDet|||a|||REQUIRED|||-NONE-|||1
A 17 18|||Prep|||to|||REQUIRED|||-NONE-|||1
A 20 21|||Nn|||skills|||REQUIRED|||-NONE-|||1

S Although it was raining , the children refused to come inside .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Walking in the forest , a deer suddenly appear in front of us .
A 0 1|||Smod|||As we were walking|||REQUIRED|||-NONE-|||0
A 8 9|||Vt|||appeared|||REQUIRED|||-NONE-|||0
A 0 1|||Smod|||While we were walking|||REQUIRED|||-NONE-|||1
A 8 9|||Vt|||appeared|||REQUIRED|||-NONE-|||1

S My hobbies are reading , to cook and I also play chess with my neighbour .
A 5 7|||Spar|||cooking|||REQUIRED|||-NONE-|||0
A 8 11|||Spar|||playing|||REQUIRED|||-NONE-|||0
A 4 7|||Spar|||and cooking ,|||REQUIRED|||-NONE-|||1

S Can you recieve me at the airport on 7 o'clock in next Monday ?
A 2 4|||Wci|||pick me up|||REQUIRED|||-NONE-|||0
A 7 8|||Prep|||at|||REQUIRED|||-NONE-|||0
A 10 11|||Prep||||||REQUIRED|||-NONE-|||0
A 2 3|||Wci|||meet|||REQUIRED|||-NONE-|||1
A 7 8|||Prep|||at|||REQUIRED|||-NONE-|||1
A 10 11|||Prep||||||REQUIRED|||-NONE-|||1

S More and more young people is moving to the big citys in order to searching better job .
A 5 6|||SVA|||are|||REQUIRED|||-NONE-|||0
A 8 9|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 10 11|||Mec|||cities|||REQUIRED|||-NONE-|||0
A 14 15|||Vform|||search for|||REQUIRED|||-NONE-|||0
A 16 17|||Nn|||jobs|||REQUIRED|||-NONE-|||0
A 5 6|||SVA|||are|||REQUIRED|||-NONE-|||1
A 10 11|||Nn|||cities|||REQUIRED|||-NONE-|||1
A 12 15|||Wci|||search of|||REQUIRED|||-NONE-|||1
A 16 17|||Nn|||jobs|||REQUIRED|||-NONE-|||1

S The doctor adviced me drink more water and to avoid of salty foods .
A 2 3|||Mec|||advised|||REQUIRED|||-NONE-|||0
A 4 4|||Vform|||to|||REQUIRED|||-NONE-|||0
A 8 9|||Spar||||||REQUIRED|||-NONE-|||0
A 10 11|||Prep||||||REQUIRED|||-NONE-|||0
A 2 3|||Wform|||advised|||REQUIRED|||-NONE-|||1
A 4 4|||Vform|||to|||REQUIRED|||-NONE-|||1
A 10 11|||Prep||||||REQUIRED|||-NONE-|||1
A 12 13|||Nn|||food|||REQUIRED|||-NONE-|||1

S How was your travel to Peru ? I hear that the foods there is very delicious .
A 3 4|||Wci|||trip|||REQUIRED|||-NONE-|||0
A 11 12|||Nn|||food|||REQUIRED|||-NONE-|||0
A 3 4|||Wci|||trip|||REQUIRED|||-NONE-|||1
A 11 12|||Nn|||food|||REQUIRED|||-NONE-|||1
A 14 15|||Others||||||REQUIRED|||-NONE-|||1

S Dear Sir , I wanna know how much costs the course and when it start .
A 4 5|||Wtone|||would like to|||REQUIRED|||-NONE-|||0
A 8 11|||WOinc|||the course costs|||REQUIRED|||-NONE-|||0
A 14 15|||SVA|||starts|||REQUIRED|||-NONE-|||0
A 4 5|||Wtone|||want to|||REQUIRED|||-NONE-|||1
A 8 9|||WOinc||||||REQUIRED|||-NONE-|||1
A 11 11|||WOinc|||costs|||REQUIRED|||-NONE-|||1
A 14 15|||SVA|||starts|||REQUIRED|||-NONE-|||1

S Every countrys have their own festivals , that makes the world intresting .
A 1 2|||Nn|||country|||REQUIRED|||-NONE-|||0
A 2 4|||SVA|||has its|||REQUIRED|||-NONE-|||0
A 7 8|||Pref|||which|||REQUIRED|||-NONE-|||0
A 11 12|||Mec|||interesting|||REQUIRED|||-NONE-|||0
A 0 2|||Nn|||All countries|||REQUIRED|||-NONE-|||1
A 7 8|||Srun|||and this|||REQUIRED|||-NONE-|||1
A 11 12|||Mec|||interesting|||REQUIRED|||-NONE-|||1

S Last summer we had rented a small house besides the sea and swimmed everyday .
A 3 4|||Vt||||||REQUIRED|||-NONE-|||0
A 8 9|||Prep|||beside|||REQUIRED|||-NONE-|||0
A 12 13|||Vform|||swam|||REQUIRED|||-NONE-|||0
A 13 14|||Mec|||every day|||REQUIRED|||-NONE-|||0
A 2 2|||Mec|||,|||REQUIRED|||-NONE-|||1
A 3 4|||Vt||||||REQUIRED|||-NONE-|||1
A 8 9|||Prep|||by|||REQUIRED|||-NONE-|||1
A 12 13|||Vform|||swam|||REQUIRED|||-NONE-|||1
A 13 14|||Wform|||every day|||REQUIRED|||-NONE-|||1

S It exist a big diffrence between to study alone and study with a group .
A 0 2|||Wci|||There is|||REQUIRED|||-NONE-|||0
A 4 5|||Mec|||difference|||REQUIRED|||-NONE-|||0
A 6 8|||Vform|||studying|||REQUIRED|||-NONE-|||0
A 10 11|||Spar|||studying|||REQUIRED|||-NONE-|||0
A 11 12|||Prep|||in|||REQUIRED|||-NONE-|||0
A 0 2|||Others|||There is|||REQUIRED|||-NONE-|||1
A 4 5|||Mec|||difference|||REQUIRED|||-NONE-|||1
A 6 8|||Vform|||studying|||REQUIRED|||-NONE-|||1
A 10 11|||Vform|||studying|||REQUIRED|||-NONE-|||1

S My new job very tiring but the salary enough for my family .
A 3 3|||V0|||is|||REQUIRED|||-NONE-|||0
A 5 5|||Mec|||,|||REQUIRED|||-NONE-|||0
A 8 8|||V0|||is|||REQUIRED|||-NONE-|||0
A 3 3|||V0|||is|||REQUIRED|||-NONE-|||1
A 8 8|||V0|||is|||REQUIRED|||-NONE-|||1

S He studied all the night , however he did not passed the exam in mathematic .
A 3 4|||ArtOrDet||||||REQUIRED|||-NONE-|||0
A 5 6|||Srun|||;|||REQUIRED|||-NONE-|||0
A 7 7|||Mec|||,|||REQUIRED|||-NONE-|||0
A 10 11|||Vform|||pass|||REQUIRED|||-NONE-|||0
A 14 15|||Mec|||mathematics|||REQUIRED|||-NONE-|||0
A 3 4|||ArtOrDet||||||REQUIRED|||-NONE-|||1
A 6 7|||Trans|||but|||REQUIRED|||-NONE-|||1
A 10 11|||Vform|||pass|||REQUIRED|||-NONE-|||1
A 12 15|||WOinc|||mathematics exam|||REQUIRED|||-NONE-|||1

S We took the first train home and slept all afternoon .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Despite he is only nine years old , he can speaks four languages fluent .
A 0 1|||Trans|||Although|||REQUIRED|||-NONE-|||0
A 10 11|||Vform|||speak|||REQUIRED|||-NONE-|||0
A 13 14|||Wform|||fluently|||REQUIRED|||-NONE-|||0
A 1 3|||Ssub|||being|||REQUIRED|||-NONE-|||1
A 10 11|||Vform|||speak|||REQUIRED|||-NONE-|||1
A 13 14|||Wform|||fluently|||REQUIRED|||-NONE-|||1

S The goverment should to give more informations about how we can recycle plastics , because most people throws them in the same bin than food .
A 1 2|||Mec|||government|||REQUIRED|||-NONE-|||0
A 3 4|||Vform||||||REQUIRED|||-NONE-|||0
A 6 7|||Nn|||information|||REQUIRED|||-NONE-|||0
A 17 18|||SVA|||throw|||REQUIRED|||-NONE-|||0
A 23 24|||Prep|||as|||REQUIRED|||-NONE-|||0
A 1 2|||Mec|||government|||REQUIRED|||-NONE-|||1
A 3 5|||Wci|||provide|||REQUIRED|||-NONE-|||1
A 6 7|||Nn|||information|||REQUIRED|||-NONE-|||1
A 12 13|||Nn|||plastic|||REQUIRED|||-NONE-|||1
A 17 18|||SVA|||throw|||REQUIRED|||-NONE-|||1
A 18 19|||Pref|||it|||REQUIRED|||-NONE-|||1
A 23 24|||Prep|||as|||REQUIRED|||-NONE-|||1

S My father works like engineer in ATC of our airport since five years .
A 2 3|||Vt|||has worked|||REQUIRED|||-NONE-|||0
A 3 4|||Prep|||as|||REQUIRED|||-NONE-|||0
A 4 4|||ArtOrDet|||an|||REQUIRED|||-NONE-|||0
A 6 7|||Wa|||air traffic control|||REQUIRED|||-NONE-|||0
A 7 8|||Prep|||at|||REQUIRED|||-NONE-|||0
A 10 11|||Prep|||for|||REQUIRED|||-NONE-|||0
A 2 3|||Vt|||has been working|||REQUIRED|||-NONE-|||1
A 3 4|||Prep|||as an|||REQUIRED|||-NONE-|||1
A 7 8|||Prep|||at|||REQUIRED|||-NONE-|||1
A 10 11|||Prep|||for|||REQUIRED|||-NONE-|||1

S At the party was many peoples which I did not knew , but everybody were frendly .
A 3 3|||Others|||there|||REQUIRED|||-NONE-|||0
A 3 4|||SVA|||were|||REQUIRED|||-NONE-|||0
A 5 6|||Nn|||people|||REQUIRED|||-NONE-|||0
A 6 7|||Pform|||whom|||REQUIRED|||-NONE-|||0
A 10 11|||Vform|||know|||REQUIRED|||-NONE-|||0
A 14 15|||SVA|||was|||REQUIRED|||-NONE-|||0
A 15 16|||Mec|||friendly|||REQUIRED|||-NONE-|||0
A 3 4|||SVA|||there were|||REQUIRED|||-NONE-|||1
A 5 6|||Nn|||people|||REQUIRED|||-NONE-|||1
A 6 7|||Pref|||that|||REQUIRED|||-NONE-|||1
A 10 11|||Vform|||know|||REQUIRED|||-NONE-|||1
A 14 15|||SVA|||was|||REQUIRED|||-NONE-|||1
A 15 16|||Mec|||friendly|||REQUIRED|||-NONE-|||1

S I have went to the dentist three times in this month and my tooths still hurts .
A 2 3|||Vform|||been|||REQUIRED|||-NONE-|||0
A 8 9|||Prep||||||REQUIRED|||-NONE-|||0
A 11 11|||Mec|||,|||REQUIRED|||-NONE-|||0
A 13 14|||Nn|||teeth|||REQUIRED|||-NONE-|||0
A 15 16|||SVA|||hurt|||REQUIRED|||-NONE-|||0
A 2 3|||Vform|||gone|||REQUIRED|||-NONE-|||1
A 8 9|||Prep||||||REQUIRED|||-NONE-|||1
A 13 14|||Nn|||tooth|||REQUIRED|||-NONE-|||1

S Unfortunatly the parcel wich you sended to me did not arrived yet .
A 0 1|||Mec|||Unfortunately|||REQUIRED|||-NONE-|||0
A 1 1|||Mec|||,|||REQUIRED|||-NONE-|||0
A 3 4|||Mec|||which|||REQUIRED|||-NONE-|||0
A 5 6|||Vform|||sent|||REQUIRED|||-NONE-|||0
A 8 9|||Vt|||has|||REQUIRED|||-NONE-|||0
A 0 1|||Mec|||Unfortunately|||REQUIRED|||-NONE-|||1
A 1 1|||Mec|||,|||REQUIRED|||-NONE-|||1
A 3 4|||Pref|||that|||REQUIRED|||-NONE-|||1
A 5 6|||Vform|||sent|||REQUIRED|||-NONE-|||1
A 6 7|||Prep||||||REQUIRED|||-NONE-|||1
A 8 9|||Vt|||has|||REQUIRED|||-NONE-|||1

S We was waited for almost an hour before waiter bring us the menu and a bread .
A 1 2|||Vform||||||REQUIRED|||-NONE-|||0
A 8 8|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0
A 9 10|||Vt|||brought|||REQUIRED|||-NONE-|||0
A 14 15|||ArtOrDet|||some|||REQUIRED|||-NONE-|||0
A 1 2|||Vt||||||REQUIRED|||-NONE-|||1
A 8 8|||ArtOrDet|||a|||REQUIRED|||-NONE-|||1
A 9 10|||Vt|||brought|||REQUIRED|||-NONE-|||1
A 14 15|||ArtOrDet||||||REQUIRED|||-NONE-|||1

S Internet give us the posibility to meet people of all the world without leave our room .
A 0 0|||ArtOrDet|||The|||REQUIRED|||-NONE-|||0
A 1 2|||SVA|||gives|||REQUIRED|||-NONE-|||0
A 4 5|||Wci|||opportunity|||REQUIRED|||-NONE-|||0
A 8 10|||Prep|||from all over|||REQUIRED|||-NONE-|||0
A 13 14|||Vform|||leaving|||REQUIRED|||-NONE-|||0
A 15 16|||Nn|||rooms|||REQUIRED|||-NONE-|||0
A 0 0|||ArtOrDet|||The|||REQUIRED|||-NONE-|||1
A 1 2|||SVA|||gives|||REQUIRED|||-NONE-|||1
A 4 5|||Mec|||possibility|||REQUIRED|||-NONE-|||1
A 5 7|||Vform|||of meeting|||REQUIRED|||-NONE-|||1
A 8 9|||Prep|||from|||REQUIRED|||-NONE-|||1
A 10 10|||Prep|||over|||REQUIRED|||-NONE-|||1
A 13 14|||Vform|||leaving|||REQUIRED|||-NONE-|||1
A 15 16|||Nn|||rooms|||REQUIRED|||-NONE-|||1
